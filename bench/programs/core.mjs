// Prints how many milliseconds it takes to import the core.
const started = performance.now()
const { translate } = await import('../../dist/index.js')
const took = performance.now() - started
if (typeof translate !== 'function') throw new Error('translate is no function')
console.log(took)
