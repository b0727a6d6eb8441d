import type { LockManager } from "../../../../packages/web/src/session/connection/leadership.ts"
import type { Channel } from "../../../../packages/web/src/session/connection/tab-leader.ts"
import type { TabDeps } from "../../../../packages/web/src/session/connection/tab-streams.ts"
import { createTabStreams, type Streams } from "../../../../packages/web/src/session/connection/tab-streams.ts"

export interface FakeTab {
  name: string
  streams: Streams
  /** Stops the tab for good. The browser releases its locks. */
  crash(): void
  /** Stops the tab until it thaws. The tab receives no event of either, and keeps its locks. */
  freeze(): void
  thaw(): void
  /** Notifies the tab that it sleeps or is awake. */
  sleep(asleep: boolean): void
  hide(hidden: boolean): void
}

/** Creates tabs with the real rules of locks and channels, on the test's timers. */
export function createFakeBrowser(
  ask: typeof fetch,
  { hasLocks = true, openSocket }: { hasLocks?: boolean; openSocket?: (url: string) => WebSocket } = {},
) {
  const locks = createLocks()
  const channels = new Map<string, Set<FakeChannel>>()
  let count = 0

  function openTab(): FakeTab {
    const name = `tab-${++count}`
    let isDead = false
    let isHidden = false
    let frozen: PromiseWithResolvers<void> | undefined
    const listeners = new Set<(asleep: boolean) => void>()
    const open = new Set<FakeChannel>()
    /** Resolves when the tab may continue; never if it has crashed. */
    const running = async () => {
      while (frozen) await frozen.promise
      if (isDead) await new Promise(() => undefined)
    }

    const openChannel = (channelName: string): Channel => {
      const peers = channels.get(channelName) ?? new Set()
      channels.set(channelName, peers)
      const waiting: unknown[] = []
      let isDelivering = false
      const deliver = async () => {
        if (isDelivering) return
        isDelivering = true
        while (waiting.length > 0) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          await running()
          const message = waiting.shift()
          if (peers.has(channel)) channel.onmessage?.({ data: message })
        }
        isDelivering = false
      }
      const channel: FakeChannel = {
        onmessage: null,
        receive: (message) => {
          waiting.push(message)
          void deliver()
        },
        postMessage: (message) => {
          if (isDead) return
          for (const peer of peers) if (peer !== channel) peer.receive(structuredClone(message))
        },
        close: () => {
          peers.delete(channel)
          open.delete(channel)
        },
      }
      peers.add(channel)
      open.add(channel)
      return channel as unknown as Channel
    }

    const deps: TabDeps = {
      tab: name,
      locks: hasLocks ? locks.of(name, running) : undefined,
      openChannel,
      now: Date.now,
      random: () => 0.5,
      isWatched: () => !isHidden,
      onSleep: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      pause: async (ms, { signal }) => {
        if (signal.aborted) return
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          signal.addEventListener("abort", () => {
            clearTimeout(timer)
            resolve()
          })
        })
        await running()
      },
      socket: openSocket && { open: openSocket, urlOf: async (sources) => `ws://server.invalid/ws?sources=${sources}` },
      urlOf: (sources) => `http://server.invalid/api/v1/stream?sources=${encodeURIComponent(sources)}`,
      fetch: async (input, init) => {
        await running()
        const response = await ask(input, init)
        await running()
        const held = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform: async (chunk, controller) => {
            await running()
            controller.enqueue(chunk)
          },
        })
        return new Response(response.body?.pipeThrough(held) ?? null, response)
      },
    }
    const freeze = () => {
      frozen ??= Promise.withResolvers()
    }
    const thaw = () => {
      const before = frozen
      frozen = undefined
      before?.resolve()
    }
    return {
      name,
      streams: createTabStreams("test", deps),
      freeze,
      thaw,
      crash: () => {
        isDead = true
        thaw()
        for (const channel of [...open]) channel.close()
        locks.free(name)
      },
      sleep: (asleep) => {
        for (const listener of listeners) listener(asleep)
      },
      hide: (hidden) => {
        isHidden = hidden
      },
    }
  }

  return { openTab, leader: () => locks.holder() }
}

interface FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | null
  postMessage(message: unknown): void
  receive(message: unknown): void
  close(): void
}

interface Request {
  tab: string
  holder(): Promise<void>
  settle: PromiseWithResolvers<void>
}

/** Creates a lock with the rules of Web Locks: first come, first served, except for requests that steal it. */
function createLocks() {
  let held: Request | undefined
  let queue: Request[] = []

  function grant(): void {
    if (held || queue.length === 0) return
    const next = queue.shift() as Request
    held = next
    next.holder().then(
      () => release(next),
      (error) => {
        next.settle.reject(error)
        release(next)
      },
    )
  }
  function release(one: Request): void {
    one.settle.resolve()
    if (held === one) held = undefined
    grant()
  }
  const aborted = () => new DOMException("The request was aborted.", "AbortError")

  return {
    holder: () => held?.tab,
    free(tab: string): void {
      queue = queue.filter((one) => one.tab !== tab)
      if (held?.tab === tab) held = undefined
      grant()
    },
    of: (tab: string, running: () => Promise<void>): LockManager => ({
      async request(_name, { signal, steal }, holder) {
        await running()
        if (signal?.aborted) throw aborted()
        const settle = Promise.withResolvers<void>()
        const one: Request = { tab, settle, holder: () => running().then(holder) }
        if (steal) {
          held?.settle.reject(aborted())
          held = undefined
          queue.unshift(one)
        } else queue.push(one)
        signal?.addEventListener("abort", () => {
          if (!queue.includes(one)) return
          queue = queue.filter((other) => other !== one)
          settle.reject(aborted())
        })
        grant()
        try {
          await settle.promise
        } finally {
          await running()
        }
      },
    }),
  }
}
