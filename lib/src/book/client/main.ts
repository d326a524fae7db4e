/** The page's own script. Each part finds what it works on, and does nothing on a page that has none of it. */
import { startDemos } from '../demos/page.js';
import { startContents } from './contents.js';
import { startCopying } from './copy.js';
import { startFigures } from './figures.js';
import { startOutline } from './outline.js';
import { startPreviews } from './previews.js';
import { startPrinting } from './print.js';
import { startProgress } from './progress.js';
import { startQuizzes } from './quiz.js';
import { siteAddress } from './scripts.js';
import { startSearch } from './search.js';
import { startTheme } from './theme.js';

startTheme();
startContents();
startOutline();
startCopying();
startPreviews();
startQuizzes();
startSearch();
startProgress();
startPrinting();
startFigures();
startDemos(document, siteAddress('demos/'));
