import { BOOK_TITLE } from './frame.js';

/**
 * The page of a server for addresses that lead nowhere. It may be shown at any depth, so it brings its own style, and a script finds
 * the site's root from the folders that the site has.
 */
export function missingPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Not found · ${BOOK_TITLE}</title>
<meta name="robots" content="noindex">
<script>document.write('<base href="'+location.pathname.replace(/(source|notebooks|assets)\\/.*$|[^/]*$/,'')+'">')</script>
<link rel="icon" href="data:,">
<style>
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:2rem;font:1.0625rem/1.6 system-ui,sans-serif;background:light-dark(#fcfcfb,#161514);color:light-dark(#1c1b1a,#f0eeea)}
h1{font-size:1.75rem;margin:0}a{color:light-dark(#2a5fb0,#6aa5f5)}
</style>
</head>
<body><main>
<h1>There is no such page</h1>
<p>It may have moved. <a href="index.html">The contents of the book</a> and its search know all of them.</p>
</main></body>
</html>
`;
}
