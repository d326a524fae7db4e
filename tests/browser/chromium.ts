import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser to test in: `CHROME_PATH`, else where Chromium and Chrome usually are; throws when `CHROME_PATH` leads nowhere. */
export function findChromium(): string | undefined {
  const given = process.env['CHROME_PATH'];
  if (given && !existsSync(given)) throw new Error(`CHROME_PATH is ${given}, where there is no file.`);
  return given || places.find((place) => existsSync(place));
}

/** WebGPU on SwiftShader, which every Chromium brings; the watchdog takes a GPU that is slow for one that hangs. */
const webgpu = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-webgpu-adapter=swiftshader',
  '--disable-gpu-watchdog',
];

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: webgpu });
}
