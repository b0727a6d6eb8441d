import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createFakeBrowser, type FakeTab } from "./fake-browser.ts"
import { createFakeServer } from "./fake-server.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

interface Reader {
  tab: FakeTab
  session: string
  since: number
  heard: number[]
  states: string[]
  hasLeft: boolean
  leave(): void
}

function world(options?: Parameters<typeof createFakeBrowser>[1]) {
  const server = createFakeServer()
  const browser = createFakeBrowser(server.fetch, options)
  const readers: Reader[] = []
  function read(tab: FakeTab, session: string, since = 0): Reader {
    const controller = new AbortController()
    const leave = () => {
      reader.hasLeft = true
      controller.abort()
    }
    const reader: Reader = { tab, session, since, heard: [], states: [], hasLeft: false, leave }
    readers.push(reader)
    void (async () => {
      for await (const update of tab.streams.open({ session, since }, controller)) {
        if (update.type === "frame") reader.heard.push((update.frame.data as { seq: number }).seq)
        else reader.states.push(update.type)
      }
    })()
    return reader
  }
  return { server, ...browser, readers, read }
}

const seqsAfter = (since: number, head: number) =>
  Array.from({ length: Math.max(0, head - since) }, (_, n) => since + 1 + n)

/** Returns an open socket whose replies `reply` chooses. */
function fakeSocket(reply: (message: { request: number }) => object | undefined): WebSocket {
  const socket = {
    readyState: WebSocket.OPEN,
    onmessage: null as ((event: { data: string }) => void) | null,
    onclose: null,
    send(json: string) {
      const answer = reply(JSON.parse(json))
      if (answer) setTimeout(() => socket.onmessage?.({ data: JSON.stringify(answer) }), 1)
    },
    close: () => undefined,
  }
  setTimeout(() => socket.onmessage?.({ data: JSON.stringify({ type: "ready" }) }), 1)
  return socket as unknown as WebSocket
}

const key = { type: "input", session: "s", pty: "p", client: "c", client_seq: 1, data: "eA==" } as const

describe("the keys of a browser's tabs", () => {
  it("go over the leader's socket, whichever tab they are typed in, until it has gone", async () => {
    const received: object[] = []
    const openSocket = () =>
      fakeSocket((message) => {
        received.push(message)
        return { ...message, type: "accepted" }
      })
    const { openTab, read } = world({ openSocket })
    const [first, second] = [openTab(), openTab()]
    read(first, "s")
    read(second, "s")
    await pass(1000)
    const sent = [first, second].map(({ streams }) => streams.send(key))
    await pass(100)
    expect(await Promise.all(sent)).toEqual([true, true])
    expect(received).toEqual([
      { ...key, request: 0 },
      { ...key, request: 1 },
    ])
    first.crash()
    const late = second.streams.send(key)
    await pass(10_000)
    expect(await late).toBe(false)
    const next = second.streams.send(key)
    await pass(100)
    expect(await next).toBe(true)
  })

  it("are left to a request where the server doesn't reply, and no tab waits for that twice", async () => {
    const { openTab, read } = world({ openSocket: () => fakeSocket(() => undefined) })
    const tab = openTab()
    read(tab, "s")
    await pass(1000)
    const sent = tab.streams.send(key)
    await pass(4_900)
    expect(await Promise.race([sent, Promise.resolve("waiting")])).toBe("waiting")
    await pass(200)
    expect(await sent).toBe(false)
    // The tab uses a stream now, so it doesn't wait for a reply again.
    expect(await tab.streams.send(key)).toBe(false)
  })
})

describe("the streams of a browser's tabs", () => {
  it("are one connection, whatever the tabs follow", async () => {
    const { server, openTab, read } = world()
    const tabs = Array.from({ length: 12 }, () => openTab())
    const readers = tabs.flatMap((tab, index) => [read(tab, `s${index}`), read(tab, "shared")])
    await pass(1000)
    expect(server.connections()).toBe(1)
    for (let n = 0; n < 12; n++) server.append(`s${n}`, 2)
    server.append("shared", 3)
    await pass(1000)
    expect(readers.map(({ heard }) => heard)).toEqual(tabs.flatMap(() => [seqsAfter(0, 2), seqsAfter(0, 3)]))
    expect(readers.every(({ states }) => states.includes("opened") && !states.includes("lost"))).toBe(true)
  })

  it("give a tab that comes late what it hasn't had, and the others nothing twice", async () => {
    const { server, openTab, read } = world()
    server.append("s", 10)
    const early = read(openTab(), "s", 8)
    await pass(1000)
    const late = read(openTab(), "s", 3)
    const later = read(openTab(), "s", 10)
    await pass(1000)
    server.append("s")
    await pass(1000)
    expect([early.heard, late.heard, later.heard]).toEqual([seqsAfter(8, 11), seqsAfter(3, 11), [11]])
  })

  it.each(["crash", "sleep", "freeze", "close"] as const)(
    "go on when the tab that leads does this: %s",
    async (how) => {
      const { server, openTab, read, leader } = world()
      const tabs = Array.from({ length: 4 }, () => openTab())
      const readers = tabs.map((tab) => read(tab, "s"))
      await pass(1000)
      server.append("s")
      await pass(1000)
      const [first, ...others] = readers
      expect(leader()).toBe(tabs[0]?.name)
      if (how === "sleep") tabs[0]?.sleep(true)
      else if (how === "close") tabs[0]?.streams.close()
      else tabs[0]?.[how]()
      server.append("s")
      await pass(10_000)
      server.append("s")
      await pass(1000)
      expect(leader()).not.toBe(tabs[0]?.name)
      expect(others.map(({ heard }) => heard)).toEqual(others.map(() => [1, 2, 3]))
      if (how === "freeze") tabs[0]?.thaw()
      else if (how === "sleep") tabs[0]?.sleep(false)
      else return
      server.append("s")
      await pass(20_000)
      expect(first?.heard).toEqual([1, 2, 3, 4])
      expect(server.connections()).toBe(1)
      // The last remaining tab becomes the leader again.
      for (const tab of tabs.slice(1)) tab.streams.close()
      server.append("s")
      await pass(1000)
      expect(first?.heard).toEqual([1, 2, 3, 4, 5])
    },
  )

  it("are a connection for each tab where there are no locks", async () => {
    const { server, openTab, read } = world({ hasLocks: false })
    const readers = [openTab(), openTab()].flatMap((tab) => [read(tab, "a"), read(tab, "b")])
    await pass(1000)
    expect(server.connections()).toBe(2)
    server.append("a")
    server.append("b")
    await pass(1000)
    expect(readers.map(({ heard }) => heard)).toEqual([[1], [1], [1], [1]])
  })

  it("end with the last reader, and begin again with the next", async () => {
    const { server, openTab, read } = world()
    const tab = openTab()
    const one = read(tab, "s")
    await pass(1000)
    one.leave()
    await pass(1000)
    expect(server.connections()).toBe(0)
    server.append("s", 2)
    const next = read(tab, "s", 1)
    await pass(1000)
    expect([one.heard, next.heard]).toEqual([[], [2]])
  })

  it("keep what nobody follows any more in the connection until it says something", async () => {
    const { server, openTab, read } = world()
    const tab = openTab()
    read(tab, "a")
    const left = read(tab, "b")
    await pass(1000)
    left.leave()
    await pass(1000)
    expect(server.requests).toEqual(["a:0,b:0"])
    server.append("b")
    await pass(1000)
    expect(server.requests).toEqual(["a:0,b:0", "a:0"])
  })

  it("are back two seconds after the server at most, and soon once a tab is looked at", async () => {
    const { server, openTab, read } = world()
    const [leading, other] = [openTab(), openTab()]
    const reader = read(other, "s")
    read(leading, "t")
    leading.hide(true)
    await pass(1000)
    server.stop()
    await pass(30_000)
    expect(reader.states.at(-1)).toBe("lost")
    server.append("s")
    server.start()
    await pass(2_000)
    expect(reader.states.at(-1)).toBe("opened")
    expect(reader.heard).toEqual([1])
  })

  it("don't ask for a connection often while nobody looks", async () => {
    const { server, openTab, read } = world()
    const tab = openTab()
    tab.hide(true)
    read(tab, "s")
    server.stop()
    await pass(10 * 60_000)
    expect(server.requests.length).toBeLessThan(60)
  })

  it("wait for a tab that takes nothing, then go on without it", async () => {
    const { server, openTab } = world()
    const [fast, slow] = [openTab(), openTab()]
    const heard: number[] = []
    const bulk = 30_000
    void (async () => {
      for await (const update of fast.streams.open({ session: "s", since: 0 }, new AbortController())) {
        if (update.type === "frame") heard.push((update.frame.data as { seq: number }).seq)
      }
    })()
    const stuck = slow.streams.open({ session: "s", since: 0 }, new AbortController())
    void stuck.next()
    await pass(1000)
    server.append("s", bulk)
    await pass(60_000)
    expect(heard.length).toBe(bulk)
    // Frames that didn't fit into the channel arrive once the tab continues.
    const late: number[] = []
    void (async () => {
      for await (const update of stuck)
        if (update.type === "frame") late.push((update.frame.data as { seq: number }).seq)
    })()
    await pass(120_000)
    expect(late).toEqual(seqsAfter(0, bulk))
  })

  it("bring each event once and in order to every tab, whatever becomes of the tabs and the connection", async () => {
    const sessions = ["a", "b", "c"]
    const tabOf = fc.nat(5)
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), session: fc.constantFrom(...sessions) }) },
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant("append" as const), session: fc.constantFrom(...sessions) }),
      },
      fc.record({ do: fc.constant("read" as const), tab: tabOf, session: fc.constantFrom(...sessions) }),
      fc.record({
        do: fc.constantFrom("crash" as const, "leave" as const, "sleep" as const, "wake" as const),
        tab: tabOf,
      }),
      fc.record({
        do: fc.constantFrom("freeze" as const, "thaw" as const, "hide" as const, "close" as const),
        tab: tabOf,
      }),
      fc.record({ do: fc.constantFrom("end" as const, "cut" as const, "stop" as const, "start" as const) }),
    )
    const steps = fc.array(fc.tuple(step, fc.constantFrom(0, 1, 5, 30, 2_000, 9_000)), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { server, openTab, read, readers } = world()
        const tabs: (FakeTab & { state: Set<string> })[] = []
        const open = () => tabs[tabs.push({ ...openTab(), state: new Set() }) - 1]
        for (const [one, ms] of script) {
          const tab = "tab" in one ? tabs[one.tab % Math.max(1, tabs.length)] : undefined
          const isGone = tab?.state.has("gone")
          if (one.do === "open") read(open() as FakeTab, one.session, server.headOf(one.session))
          else if (one.do === "append") server.append(one.session)
          else if (one.do === "end" || one.do === "cut" || one.do === "stop" || one.do === "start") server[one.do]()
          else if (!tab || isGone) continue
          else if (one.do === "read") read(tab, one.session, Math.floor(server.headOf(one.session) / 2))
          else if (one.do === "leave") readers.find((reader) => reader.tab === tab)?.leave()
          else if (one.do === "sleep" || one.do === "wake") {
            const asleep = one.do === "sleep"
            if (tab.state.has("asleep") === asleep) continue
            tab.sleep(asleep)
            if (asleep) tab.state.add("asleep")
            else tab.state.delete("asleep")
          } else if (one.do === "hide") tab.hide(true)
          else if (one.do === "freeze" || one.do === "thaw") tab[one.do]()
          else {
            if (one.do === "crash") tab.crash()
            else tab.streams.close()
            tab.state.add("gone")
          }
          await pass(ms)
        }
        server.start()
        for (const tab of tabs.filter(({ state }) => !state.has("gone"))) {
          tab.thaw()
          tab.hide(false)
          if (tab.state.has("asleep")) tab.sleep(false)
        }
        await pass(60_000)
        for (const { heard, since } of readers) expect(heard).toEqual(seqsAfter(since, since + heard.length))
        const there = readers.filter(({ tab }) => tabs.some((one) => one.name === tab.name && !one.state.has("gone")))
        for (const { session, heard, since, hasLeft } of there) {
          if (!hasLeft) expect(heard).toEqual(seqsAfter(since, server.headOf(session)))
        }
        expect(server.connections()).toBeLessThanOrEqual(1)
        vi.clearAllTimers()
      }),
      { numRuns: 200 },
    )
  })
})
