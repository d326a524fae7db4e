/** The kernels' signatures, as lib/kernels/index.ts exports them; sizes count elements, strides count bytes. */

/** An address in the shared memory, in bytes. */
export type Address = number;

export interface KernelExports {
  gemmScratch(n: number, k: number): number;
  gemm(
    a: Address,
    aRow: number,
    aColumn: number,
    b: Address,
    bRow: number,
    bColumn: number,
    start: Address,
    startRow: number,
    c: Address,
    m: number,
    n: number,
    k: number,
    scratch: Address,
  ): void;
  panelBytes(n: number, k: number): number;
  packWeight(weight: Address, n: number, k: number, target: Address): void;
  stripScratch(k: number): number;
  gemmPacked(
    a: Address,
    panels: Address,
    start: Address,
    startRow: number,
    c: Address,
    m: number,
    n: number,
    k: number,
    scratch: Address,
  ): void;
  attentionScratch(length: number, headDim: number): number;
  attention(
    q: Address,
    k: Address,
    v: Address,
    starts: Address,
    out: Address,
    lse: Address,
    batch: number,
    length: number,
    heads: number,
    keyValueHeads: number,
    headDim: number,
    scratch: Address,
  ): void;
  attentionGradientScratch(length: number, headDim: number): number;
  attentionGradient(
    q: Address,
    k: Address,
    v: Address,
    starts: Address,
    out: Address,
    lse: Address,
    dOut: Address,
    dq: Address,
    dk: Address,
    dv: Address,
    batch: number,
    length: number,
    heads: number,
    keyValueHeads: number,
    headDim: number,
    scratch: Address,
  ): void;
  decodeScratch(heads: number, keyValueHeads: number, prefixCapacity: number, capacity: number): number;
  /** Without a prefix all of its addresses are 0. */
  decodeAttention(
    q: Address,
    k: Address,
    v: Address,
    cacheKeys: Address,
    cacheValues: Address,
    lengths: Address,
    prefixKeys: Address,
    prefixValues: Address,
    prefixRows: Address,
    prefixLengths: Address,
    out: Address,
    batch: number,
    heads: number,
    keyValueHeads: number,
    capacity: number,
    prefixCapacity: number,
    headDim: number,
    scratch: Address,
  ): void;
  decodeLayerScratch(
    batch: number,
    hidden: number,
    intermediate: number,
    heads: number,
    keyValueHeads: number,
    headDim: number,
    capacity: number,
    prefixCapacity: number,
  ): number;
  /** Weights that the model does not have are 0. */
  decodeLayer(
    x: Address,
    out: Address,
    positions: Address,
    cosines: Address,
    sines: Address,
    cacheKeys: Address,
    cacheValues: Address,
    lengths: Address,
    prefixKeys: Address,
    prefixValues: Address,
    prefixRows: Address,
    prefixLengths: Address,
    inputNorm: Address,
    queryWeight: Address,
    queryBias: Address,
    queryNorm: Address,
    keyWeight: Address,
    keyBias: Address,
    keyNorm: Address,
    valueWeight: Address,
    valueBias: Address,
    outputWeight: Address,
    feedForwardNorm: Address,
    gateWeight: Address,
    upWeight: Address,
    downWeight: Address,
    batch: number,
    hidden: number,
    intermediate: number,
    heads: number,
    keyValueHeads: number,
    headDim: number,
    capacity: number,
    prefixCapacity: number,
    eps: number,
    scratch: Address,
  ): void;
  rmsNorm(x: Address, weight: Address, out: Address, rows: number, size: number, eps: number): void;
  rmsNormGradient(
    x: Address,
    weight: Address,
    dy: Address,
    dx: Address,
    dWeight: Address,
    rows: number,
    size: number,
    eps: number,
  ): void;
  layerNorm(
    x: Address,
    weight: Address,
    bias: Address,
    out: Address,
    rows: number,
    size: number,
    eps: number,
  ): void;
  layerNormGradient(
    x: Address,
    weight: Address,
    dy: Address,
    dx: Address,
    dWeight: Address,
    dBias: Address,
    rows: number,
    size: number,
    eps: number,
  ): void;
  rotary(
    x: Address,
    positions: Address,
    cosines: Address,
    sines: Address,
    out: Address,
    tokens: number,
    heads: number,
    headDim: number,
    direction: number,
  ): void;
  swiglu(gate: Address, up: Address, out: Address, n: number): void;
  swigluGradient(gate: Address, up: Address, dy: Address, dGate: Address, dUp: Address, n: number): void;
  reluSquared(x: Address, out: Address, n: number): void;
  reluSquaredGradient(x: Address, dy: Address, dx: Address, n: number): void;
  selectedLogprobs(
    logits: Address,
    targets: Address,
    logprobs: Address,
    entropies: Address,
    lse: Address,
    rows: number,
    vocab: number,
    inverseTemperature: number,
  ): void;
  selectedLogprobsGradient(
    logits: Address,
    targets: Address,
    lse: Address,
    dLogprobs: Address,
    dLogits: Address,
    rows: number,
    vocab: number,
    inverseTemperature: number,
  ): void;
  sampleScratch(vocab: number): number;
  /** `uniforms` and `shares` hold double precision. */
  sampleTokens(
    logits: Address,
    rows: Address,
    uniforms: Address,
    tokens: Address,
    shares: Address,
    count: number,
    vocab: number,
    temperature: number,
    topK: number,
    topP: number,
    scratch: Address,
  ): void;
  embedding(table: Address, ids: Address, out: Address, count: number, size: number): void;
  embeddingGradient(
    dy: Address,
    ids: Address,
    dTable: Address,
    count: number,
    vocab: number,
    size: number,
  ): void;
  adamW(
    param: Address,
    grad: Address,
    m: Address,
    v: Address,
    newParam: Address,
    newM: Address,
    newV: Address,
    n: number,
    gradScale: number,
    beta1: number,
    keep1: number,
    beta2: number,
    keep2: number,
    decay: number,
    rate: number,
    correction: number,
    eps: number,
  ): void;
  sumOfSquares(x: Address, n: number): number;
}
