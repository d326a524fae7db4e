import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { notebookPage } from './lab-page.mjs';

const BROWSERS = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const PATIENCE_MS = 180_000;

/** Opens a notebook in JupyterLab as a reader does. Returns whether all of it worked. */
export async function checkJupyterLab({ bin, fixture }) {
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  if (executablePath === undefined) {
    console.log('skipped: JupyterLab, as there is no Chromium or Chrome (CHROME_PATH may name one)');
    return true;
  }
  // beside the originals, where `posttrain` is found: JupyterLab saves what it runs
  const folder = mkdtempSync(join(fixture, '..', '.lab-'));
  for (const part of ['data', 'notebooks'])
    cpSync(join(fixture, part), join(folder, part), { recursive: true });
  const port = await freePort();
  const server = spawn(
    join(bin, 'jupyter-lab'),
    [
      '--no-browser',
      '--allow-root',
      `--port=${port}`,
      `--ServerApp.root_dir=${join(folder, 'notebooks')}`,
      '--IdentityProvider.token=secret',
      '--LabApp.expose_app_in_browser=True',
    ],
    { stdio: 'ignore' },
  );
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await answering(`http://127.0.0.1:${port}/api/status?token=secret`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`http://127.0.0.1:${port}/lab/tree/00-verbs.ipynb?token=secret&reset`);
    await steps(notebookPage(page));
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

/** Code cells of the notebook, in order. */
const [SETUP, TRAINING, FIGURES, , DRAWINGS, EXERCISE, RESULTS] = [1, 2, 3, 4, 5, 6, 7];

async function steps(lab) {
  await lab.idle();
  await lab.says(lab.kernelName, 'TypeScript (posttrain)');
  console.log('ok     JupyterLab knows the kernel');

  const states = await lab.watch(TRAINING, '.chart path.line[d*="L"]');
  await lab.command('Run All Cells');
  await lab.says(lab.output(RESULTS), 'Written to runs/notebooks/00.json');
  await lab.says(lab.output(TRAINING), '200 of 200');
  const { whileRunning, atEnd } = await states();
  if (whileRunning < 3) throw new Error(`the live plot had ${whileRunning} states while its cell ran`);
  if (atEnd !== 3) throw new Error(`the live plot has ${atEnd} lines at its end, not 3`);
  console.log(`ok     runs all cells; the live plot had ${whileRunning} states while its cell ran`);

  await lab.says(lab.output(EXERCISE), 'not solved yet');
  await screenshots(lab);

  await lab.run(TRAINING);
  await lab.says(lab.output(TRAINING), /[1-9]\d? of 200/);
  await lab.command('Interrupt Kernel');
  await lab.says(lab.output(TRAINING), 'Stopping after this step');
  await lab.run(FIGURES);
  await lab.says(lab.output(FIGURES), 'What came out');
  const rounds = Number(/rounds\s*(\d+)/.exec(await lab.output(FIGURES).innerText())?.[1]);
  if (!(rounds > 0 && rounds < 200)) throw new Error(`the interrupted cell kept ${rounds} rounds`);
  console.log(
    `ok     interrupts training after its step; the next cell runs on the ${rounds} rounds that it kept`,
  );

  await lab.type(SETUP, 'console.log("waiting"); await new Promise(() => {});');
  await lab.run(SETUP);
  await lab.says(lab.output(SETUP), 'waiting');
  await lab.command('Interrupt Kernel');
  await lab.says(lab.output(SETUP), 'Interrupted: the cell was interrupted');
  console.log('ok     interrupts a cell that waits');

  await lab.type(
    SETUP,
    'const { fast, seed } = await setup({ seed: 7 });\nconst seeds = [seed, 8, 9];\nconst rounds = 50;',
  );
  await lab.restartAndRunAll();
  await lab.says(lab.prompt(0), '[1]:');
  await lab.says(lab.output(TRAINING), '50 of 50');
  await lab.says(lab.prompt(RESULTS), '[8]:');
  console.log('ok     restarts the kernel and runs all');
}

/** For people to look at: figures, drawings and results on both of JupyterLab's own themes. */
async function screenshots(lab) {
  const folder = join(tmpdir(), 'posttrain-jupyter');
  mkdirSync(folder, { recursive: true });
  for (const theme of ['Light', 'Dark']) {
    await lab.setTheme(`JupyterLab ${theme}`);
    for (const [name, index] of Object.entries({ TRAINING, FIGURES, DRAWINGS, EXERCISE, RESULTS }))
      await lab
        .output(index)
        .screenshot({ path: join(folder, `${name.toLowerCase()}-${theme.toLowerCase()}.png`) });
    const [ink, page] = await lab.colors(FIGURES);
    if (contrast(ink, page) < 7) throw new Error(`on the ${theme} theme, text is ${ink} on ${page}`);
  }
  console.log(`ok     figures follow the light and the dark theme; screenshots are in ${folder}`);
}

/** WCAG 2.2, of two colours such as `rgb(1, 2, 3)`. */
function contrast(...colors) {
  const [low, high] = colors
    .map((color) => {
      const [red, green, blue] = color
        .match(/\d+/g)
        .map((part) => Number(part) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
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
