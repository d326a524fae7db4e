import { broken, FIRST, SECOND, inFirst, inSecond } from './broken.js';

broken([
  // links
  [
    'a link to a file that is not there',
    inSecond('(../README.md#read-me)', '(../READYOU.md)'),
    SECOND,
    '[the first heading](../READY',
    'there is no READYOU.md',
  ],
  [
    'a link to a chapter that is not there',
    inFirst('[x](02-third.md)'),
    FIRST,
    '[x](02-third.md), $5 \\cdot x',
    'there is no chapters/02-third.md',
  ],
  [
    'a link to a heading that is not there',
    inFirst('[x](01-second.md#the-exception)'),
    FIRST,
    '[x](01-second.md#the-excepti',
    `there is no #the-exception in ${SECOND}`,
  ],
  [
    'a link to an anchor of the page',
    inFirst('[x](#nowhere)'),
    FIRST,
    '[x](#nowhere), $5 \\cdot x$ a',
    `there is no #nowhere in ${FIRST}`,
  ],
  [
    'a link to a heading of another file',
    inSecond('#read-me', '#read-you'),
    SECOND,
    '[the first heading](../READM',
    'README.md has no heading #read-you',
  ],
  [
    'a link to a line too far',
    inSecond('#L2', '#L99'),
    SECOND,
    'See [the code](../lib/src/lo',
    'lib/src/losses/square.ts has 8 lines, no 99th',
  ],
  [
    'a link to a folder',
    inFirst('[x](../lib/src/losses)'),
    FIRST,
    '[x](../lib/src/losses), $5 \\',
    '"../lib/src/losses" is a folder',
  ],
  [
    'a link out of the repository',
    inFirst('[x](../../secret)'),
    FIRST,
    '[x](../../secret), $5 \\cdot ',
    '"../../secret" leads out of the repository',
  ],
  [
    'a link of this machine',
    inFirst('[x](/home/me)'),
    FIRST,
    '[x](/home/me), $5 \\cdot x$ a',
    '"/home/me" is no link that works everywhere',
  ],
  [
    'a link without a text',
    inFirst('[](01-second.md)'),
    FIRST,
    '[](01-second.md), $5 \\cdot x',
    'a link needs a text',
  ],
  [
    'an equation that is not there',
    inFirst('[](01-second.md#eq-cube)'),
    FIRST,
    '[](01-second.md#eq-cube), $5',
    'a link needs a text: no equation or figure that has one is at 01-second.html#eq-cube',
  ],
]);
