import type { Command } from 'commander';
import { doctor, formatDoctorReport } from '../tensor/index.js';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('show which back ends work here, how fast they are, and which one is used')
    .action(async () => {
      process.stdout.write(`${formatDoctorReport(await doctor())}\n`);
    });
}
