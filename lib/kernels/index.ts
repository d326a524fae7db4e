export { gemm, gemmScratch } from './gemm';
