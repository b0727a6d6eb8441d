// Preloaded into a worker whose deadline should come soon. The worker gets its usual deadline, but waits of minutes
// pass `HURRY` times as fast. Only the deadline waits that long here.
const TIMES = Number(process.env.HURRY)
const LONG_MS = 60_000

const timeout = AbortSignal.timeout.bind(AbortSignal)
AbortSignal.timeout = (ms) => timeout(ms > LONG_MS ? Math.round(ms / TIMES) : ms)
