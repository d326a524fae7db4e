// %% [markdown]
// # Cells that fail
//
// The first may, as its tag says; the second ends the run.

// %% tags=["raises-exception"]
throw new RangeError('expected');

// %%
console.log('before');
function fails(): never {
  throw new Error('ends the run');
}
fails();

// %%
console.log('never');
