import { createTabStreams, type Streams } from "../connection/tab-streams.ts"
import { type Studio, useStudio } from "../context/studio.ts"

/** The streams of this user in all tabs of the browser. Made when first needed: the first screen has none. */
export function streamsOf(studio: Studio): Streams {
  const { api, browser, clock, config } = studio
  const owner = browser.getState().me?.owner ?? ""
  studio.streams ??= createTabStreams(`switchyard.streams ${config.api_base} ${owner}`, {
    ...clock,
    tab: crypto.randomUUID(),
    locks: navigator.locks,
    openChannel: (name) => new BroadcastChannel(name),
    urlOf: (sources) => api.url("GET /api/v1/stream", { query: { sources } }),
  })
  return studio.streams
}

export function useStreams(): Streams {
  return streamsOf(useStudio())
}
