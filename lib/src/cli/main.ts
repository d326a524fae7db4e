#!/usr/bin/env node
import { main } from './program.node.js';

// `| head` has read enough: that is no error
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
