/** What a reader does on JupyterLab's page of a notebook. `index` counts its code cells. */
export function notebookPage(page) {
  const cells = page.locator('.jp-CodeCell');
  const output = (index) => cells.nth(index).locator('.jp-OutputArea').first();
  const command = async (name) => {
    await page.keyboard.press('Control+Shift+C');
    await page.locator('.lm-CommandPalette-input').last().fill(name);
    await page.locator('.lm-CommandPalette-item').filter({ hasText: name }).first().click();
  };
  const edit = (index) => cells.nth(index).locator('.cm-content').click();
  return {
    output,
    command,
    prompt: (index) => cells.nth(index).locator('.jp-InputPrompt'),
    kernelName: page.locator('.jp-Toolbar-kernelName, .jp-KernelName'),
    idle: () => page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').waitFor(),
    says: (locator, text) => locator.filter({ hasText: text }).first().waitFor(),
    run: async (index) => {
      await edit(index);
      await page.keyboard.press('Control+Enter');
    },
    type: async (index, code) => {
      await edit(index);
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(code);
    },
    restartAndRunAll: async () => {
      await page.keyboard.press('Escape');
      await command('Restart Kernel and Run All Cells…');
      await page.locator('.jp-Dialog button.jp-mod-accept').click();
    },
    setTheme: async (theme) => {
      await page.evaluate(
        (name) => globalThis.jupyterapp.commands.execute('apputils:change-theme', { theme: name }),
        theme,
      );
      await page.locator(`body[data-jp-theme-name="${theme}"]`).waitFor({ state: 'attached' });
    },
    /** Of the text and of what lies behind it. */
    colors: (index) =>
      output(index).evaluate((element) => [
        getComputedStyle(element.querySelector('.posttrain td')).color,
        getComputedStyle(element.closest('.jp-Notebook')).backgroundColor,
      ]),
    /** Looks at the paths of a cell's chart many times a second; afterwards tells how often they changed while its progress was under way. */
    watch: async (index, paths) => {
      await page.evaluate(
        ([at, selector]) => {
          const seen = new Set();
          const look = () => {
            const area = document.querySelectorAll('.jp-CodeCell')[at]?.querySelector('.jp-OutputArea');
            const marks = [...(area?.querySelectorAll(selector) ?? [])].map((path) => path.getAttribute('d'));
            const bar = area?.querySelector('progress');
            if (marks.length > 0 && bar && bar.value < bar.max) seen.add(marks.join());
            globalThis.watched = { whileRunning: seen.size, atEnd: marks.length };
          };
          setInterval(look, 20);
        },
        [index, paths],
      );
      return () => page.evaluate(() => globalThis.watched);
    },
  };
}
