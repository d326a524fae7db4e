/**
 * Questions: choose, check, and read under each option why it is right or wrong. The page brings the answers folded, for readers
 * without scripts and for print; here they go to their options once there is an answer.
 */
import { all, element } from './elements.js';

export function startQuizzes(): void {
  for (const form of all<HTMLFormElement>('form.quiz')) startQuiz(form);
}

function startQuiz(form: HTMLFormElement): void {
  const options = all<HTMLLabelElement>('.option', form);
  const verdict = form.querySelector<HTMLElement>('.verdict')!;
  form.classList.add('live');
  verdict.before(element('button', { type: 'submit', class: 'check' }, 'Check'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = form.querySelector<HTMLInputElement>('input:checked');
    if (!chosen) {
      verdict.textContent = 'Choose one of the options first.';
      return;
    }
    explain(form, options);
    const right = 'correct' in chosen.dataset;
    form.classList.toggle('right', right);
    form.classList.toggle('wrong', !right);
    verdict.textContent = right
      ? 'Right. Each option says why.'
      : 'Not that one. Each option says why; choose again if you like.';
  });
  form.addEventListener('change', () => {
    form.classList.remove('right', 'wrong');
    verdict.textContent = '';
  });
}

/** Puts the reason behind each option, and describes its button with it. */
function explain(form: HTMLFormElement, options: readonly HTMLLabelElement[]): void {
  if (form.classList.contains('answered')) return;
  form.classList.add('answered');
  const answers = all('.answers li', form);
  options.forEach((option, index) => {
    const why = answers[index]?.querySelector('.why')?.cloneNode(true) as HTMLElement | undefined;
    const button = option.querySelector('input');
    if (!why || !button) return;
    why.id = `${form.id}-why-${index}`;
    button.setAttribute('aria-describedby', why.id);
    option.classList.add('correct' in button.dataset ? 'is-right' : 'is-wrong');
    option.after(why);
  });
}
