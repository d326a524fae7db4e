#!/usr/bin/env node
import { main } from './program.node.js';

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
