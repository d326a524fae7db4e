import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pageScript, siteStyles } from '../../lib/src/book/bundles.node.js';

describe('what pages load', () => {
  it('is a classic script, light enough', async () => {
    const script = await pageScript('.');
    // throws for what only a module may hold
    expect(() => new Function(script)).not.toThrow();
    expect(script.match(/\bimport\s*\(|import\.meta/g)).toBeNull();
    expect(gzipSync(script).length).toBeLessThan(60_000);
  });

  it('is one style sheet with both themes, which loads nothing', async () => {
    const styles = await siteStyles('.');
    expect(styles).toContain(':root[data-theme="dark"]{--page:');
    expect(styles.match(/@import|url\((?!data:)/g)).toBeNull();
  });
});
