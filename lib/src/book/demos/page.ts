/** Brings the demos of a page to life: their markup is there already, with what they show for their start values. */
import { addressWriter, textsInAddress } from './page-address.js';
import { startButtons } from './page-buttons.js';
import { changedTexts, refreshOutputs, resetTexts, setTexts, textsOf } from './page-controls.js';
import { partsOf, reporter } from './page-report.js';
import { createRunner } from './page-runner.js';

/** Where the scripts of `demoAssets` lie, relative to the page. */
const FOLDER = 'demos/';
/** Words are typed letter by letter. */
const TYPING_MS = 350;

/** Starts every demo of the document; none of them loads or runs anything until its reader, or the address, changes a value. */
export function startDemos(document: Document, folder: string = FOLDER): void {
  document.querySelectorAll<HTMLElement>('.demo[data-demo]').forEach((element) => startDemo(element, folder));
}

function startDemo(element: HTMLElement, folder: string): void {
  const parts = partsOf(element);
  const { form } = parts;
  const { demo = '', auto, seconds, needs = '' } = element.dataset;
  const runsAtOnce = auto === 'true';
  const report = reporter(parts, Number(seconds));
  const runner = createRunner({
    demo,
    needs: needs.split(' ').filter((name) => name !== ''),
    seconds: Number(seconds),
    folder,
    onEvent(event) {
      report.follow(event);
      buttons.follow(event);
    },
  });
  const writeAddress = addressWriter(demo);
  const run = (): void => runner.run(textsOf(form));
  const changed = (): void => {
    refreshOutputs(form);
    writeAddress(changedTexts(form));
    if (runsAtOnce) run();
  };

  form.querySelector('fieldset')!.disabled = false;
  onInput(form, changed);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener('reset', (event) => {
    event.preventDefault();
    runner.stop();
    resetTexts(form);
    writeAddress({});
    report.asAtFirst();
  });
  parts.stop.addEventListener('click', () => runner.stop());
  const buttons = startButtons(parts, () => runsAtOnce && runner.isRunning(), changed);

  setTexts(form, textsInAddress(demo));
  if (runsAtOnce && Object.keys(changedTexts(form)).length > 0) run();
}

/** At once, but for text: when it has not changed for a moment. */
function onInput(form: HTMLFormElement, changed: () => void): void {
  let typed: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('input', ({ target }) => {
    clearTimeout(typed);
    const isText = (target as HTMLElement).matches('textarea, [type="text"]');
    if (isText) typed = setTimeout(changed, TYPING_MS);
    else changed();
  });
}
