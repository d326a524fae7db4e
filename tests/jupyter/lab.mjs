import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const BROWSERS = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const PATIENCE_MS = 180_000;

/** Opens a notebook in JupyterLab, runs it, interrupts it, restarts its kernel. Returns whether all of it worked. */
export async function checkJupyterLab({ bin, notebooks }) {
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  if (executablePath === undefined) {
    console.log('skipped: JupyterLab, as there is no Chromium or Chrome (CHROME_PATH may name one)');
    return true;
  }
  // beside the originals, where `posttrain` is found: JupyterLab saves what it runs
  const folder = mkdtempSync(join(notebooks, '..', '.lab-'));
  cpSync(join(notebooks, 'training.ipynb'), join(folder, 'training.ipynb'));
  const port = await freePort();
  const server = spawn(
    join(bin, 'jupyter-lab'),
    [
      '--no-browser',
      '--allow-root',
      `--port=${port}`,
      `--ServerApp.root_dir=${folder}`,
      '--IdentityProvider.token=secret',
    ],
    { stdio: 'ignore' },
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await answering(`http://127.0.0.1:${port}/api/status?token=secret`);
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`http://127.0.0.1:${port}/lab/tree/training.ipynb?token=secret&reset`);
    await steps(page);
    return true;
  } catch (error) {
    console.log(`FAILED JupyterLab: ${error.message}`);
    return false;
  } finally {
    await browser.close();
    await stopped(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function steps(page) {
  const cells = page.locator('.jp-CodeCell');
  const prompt = (index) => cells.nth(index).locator('.jp-InputPrompt');
  const output = (index) => cells.nth(index).locator('.jp-OutputArea');
  const says = (locator, text) => locator.filter({ hasText: text }).first().waitFor();
  const idle = page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]');
  const command = async (name) => {
    await page.keyboard.press('Control+Shift+C');
    await page.locator('.lm-CommandPalette-input').last().fill(name);
    await page.locator('.lm-CommandPalette-item').filter({ hasText: name }).first().click();
  };

  await idle.waitFor();
  await says(page.locator('.jp-Toolbar-kernelName, .jp-KernelName'), 'TypeScript (posttrain)');
  console.log('ok     JupyterLab knows the kernel');

  await command('Run All Cells');
  await says(output(3), '30 steps');
  await says(output(2), 'step 30');
  await says(output(3), 'true');
  console.log('ok     runs all cells, updates a display, shows a result');

  await cells.nth(3).locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('console.log("waiting"); await new Promise(() => {});');
  await page.keyboard.press('Control+Enter');
  await says(output(3), 'waiting');
  await command('Interrupt Kernel');
  await says(output(3), 'Interrupted: the cell was interrupted');
  console.log('ok     interrupts a cell');

  await page.keyboard.press('Escape');
  await command('Restart Kernel and Run All Cells…');
  await page.locator('.jp-Dialog button.jp-mod-accept').click();
  await says(prompt(0), '[1]:');
  await says(output(2), 'step 30');
  console.log('ok     restarts the kernel');
}

/** Asked first: it takes its kernels with it. */
async function stopped(server) {
  const ended = new Promise((resume) => server.once('exit', resume));
  server.kill();
  await Promise.race([ended, new Promise((resume) => setTimeout(resume, 10_000))]);
  server.kill('SIGKILL');
}

async function answering(url) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    if (Date.now() > end) throw new Error('the server does not answer');
    await new Promise((resume) => setTimeout(resume, 500));
  }
}

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}
