// Preloaded into a worker whose deadline shall come soon. It is told the usual one: a wait of minutes, which only the
// deadline is here, just passes so many times as fast.
const TIMES = Number(process.env.HURRY)
const LONG_MS = 60_000

const timeout = AbortSignal.timeout.bind(AbortSignal)
AbortSignal.timeout = (ms) => timeout(ms > LONG_MS ? Math.round(ms / TIMES) : ms)
