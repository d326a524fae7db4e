#!/usr/bin/env node
// A file of its own, under version control: npm links commands before the build has made dist/.
import '../dist/cli/main.js';
