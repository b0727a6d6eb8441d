// Preloaded into a function whose wall clock should be ahead, so that no scenario waits for a lease to end.
const now = Date.now
const aheadMs = Number(process.env.CLOCK_AHEAD_MS)
Date.now = () => now() + aheadMs
