import { engineContract, locally } from './contract.js';
import { withServer } from './remote.js';

engineContract('local', locally);
engineContract('Tinker', (use) => withServer(use));
