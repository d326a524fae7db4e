import { describe, expect, it } from 'vitest';
import { explain } from 'posttrain/cli/explain';

describe('explain', () => {
  it('turns what the system says into what to do', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      path: 'runs/a/metrics.jsonl',
    });
    expect(explain(full)).toBe(
      'runs/a/metrics.jsonl: the disk is full; free some space and start the same command again, a training with --resume',
    );
  });

  it('names the file that was to be written, not the one it was written to first', () => {
    const renamed = Object.assign(new Error('EISDIR: illegal operation on a directory, rename'), {
      code: 'EISDIR',
      path: 'figures.partial',
      dest: 'figures',
    });
    expect(explain(renamed)).toBe(
      'figures: this is a folder, not a file; choose another place with --out, --output or --json',
    );
  });

  it('keeps our own messages, on one line', () => {
    expect(explain(new Error('first\n  second'))).toBe('first second');
    expect(explain('thrown text')).toBe('thrown text');
  });
});
