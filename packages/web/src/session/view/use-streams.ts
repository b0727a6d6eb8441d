import { object, text } from "../../api/decode.ts"
import type { SocketDeps } from "../connection/socket.ts"
import { createTabStreams, type Streams } from "../connection/tab-streams.ts"
import { type Studio, useStudio } from "../context/studio.ts"

/**
 * Returns this user's streams, shared by all tabs of the browser. Created on first use, because the first screen
 * doesn't need them.
 */
export function streamsOf(studio: Studio): Streams {
  const { api, browser, clock, config } = studio
  const owner = browser.getState().me?.owner ?? ""
  studio.streams ??= createTabStreams(`switchyard.streams ${config.api_base} ${owner}`, {
    ...clock,
    tab: crypto.randomUUID(),
    locks: navigator.locks,
    openChannel: (name) => new BroadcastChannel(name),
    urlOf: (sources) => api.url("GET /api/v1/stream", { query: { sources } }),
    socket: config.sockets ? socketOf(studio) : undefined,
  })
  return studio.streams
}

/** Pages served by an older server have no socket settings. */
function socketOf({ api, config }: Studio): SocketDeps {
  return {
    open: (url) => new WebSocket(url),
    async urlOf(sources, { signal }) {
      const url = new URL(api.url("GET /api/v1/stream", { query: { sources } }), location.href)
      url.protocol = url.protocol.replace("http", "ws")
      url.pathname = url.pathname.replace(/stream$/, "ws")
      url.searchParams.set("batch", "true")
      if (config.auth_mode === "open") return url.href
      const body = { purpose: "stream", resource: "all" } as const
      const { ticket } = await api.call("POST /v1/tickets", { body, response: object({ ticket: text }), signal })
      url.searchParams.set("ticket", ticket)
      return url.href
    },
  }
}

export function useStreams(): Streams {
  return streamsOf(useStudio())
}
