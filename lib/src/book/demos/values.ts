/** Values of controls: from addresses and front pages, where anything may stand, to what a demo may be given. */
import type { Control, Controls, RangeControl, Value, Values } from './demo.js';

/** The values that a demo starts with. */
export function startValues(controls: Controls): Values {
  return Object.fromEntries(Object.entries(controls).map(([name, { start }]) => [name, start]));
}

/** Values as the controls of a page have them, each brought into its range; a value that makes no sense is the start value. */
export function valuesOf(controls: Controls, given: Readonly<Record<string, string>>): Values {
  const entries = Object.entries(controls);
  return Object.fromEntries(entries.map(([name, control]) => [name, valueOf(control, given[name])]));
}

function valueOf(control: Control, given: string | undefined): Value {
  if (given === undefined) return control.start;
  switch (control.type) {
    case 'range':
      return numberOf(control, given);
    case 'choice':
      return Object.hasOwn(control.options, given) ? given : control.start;
    case 'switch':
      return given === 'true';
    default:
      return given.slice(0, control.maxLength);
  }
}

function numberOf({ min, max, step, start }: RangeControl, given: string): number {
  const value = given.trim() === '' ? NaN : Number(given);
  if (Number.isNaN(value)) return start;
  const steps = Math.round((Math.min(max, Math.max(min, value)) - min) / step);
  const rounded = Number((min + steps * step).toPrecision(12));
  return rounded > max ? Number((rounded - step).toPrecision(12)) : rounded;
}

/**
 * Controls that start with other values, as a chapter may ask for.
 * @throws Error for a value without a control, or one that the control does not have
 */
export function controlsStartingWith(
  demo: { readonly name: string; readonly controls: Controls },
  start: Readonly<Record<string, unknown>>,
): Controls {
  const { name: demoName, controls } = demo;
  const changed = Object.entries(start).map(([name, value]): [string, Control] => {
    const control = controls[name];
    if (control === undefined)
      throw new Error(
        `demo ${demoName} has no value "${name}"; it has ${Object.keys(controls).join(', ') || 'none'}`,
      );
    const kept = valueOf(control, String(value));
    if (typeof value !== typeof control.start || kept !== value)
      throw new Error(`demo ${demoName}: ${name} is ${JSON.stringify(value)}, expected ${expected(control)}`);
    return [name, { ...control, start: value } as Control];
  });
  return { ...controls, ...Object.fromEntries(changed) };
}

function expected(control: Control): string {
  switch (control.type) {
    case 'range':
      return `a number from ${control.min} to ${control.max} in steps of ${control.step}`;
    case 'choice':
      return `one of ${Object.keys(control.options).join(', ')}`;
    case 'switch':
      return 'true or false';
    default:
      return `text of at most ${control.maxLength} characters`;
  }
}

/** A range's number as its `<output>` shows it: with as many decimals as the step has, and the unit. */
export function shownNumber(value: number, step: number, unit = ''): string {
  const decimals = (String(step).split('.')[1] ?? '').length;
  return `${value.toFixed(decimals)}${unit === '' ? '' : ` ${unit}`}`;
}
