import { createCipheriv } from "node:crypto"
import { setImmediate as turn } from "node:timers/promises"
import { deflateRawSync } from "node:zlib"
import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import { terminalLogName } from "@switchyard/core/kernel/keys"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createManualClock } from "../../core/log/store.ts"
import { type Random, seeded } from "../../faults/random.ts"
import { cases } from "../../settings.ts"
import { createViewer } from "./looks.ts"
import { hostileProgram } from "./programs.ts"
import { createTab, openBench, type Tab, watch } from "./viewers.ts"

const size = { rows: 10, cols: 40 }
const ALT_SCREEN = "\u001b[?1049h\u001b[2J"

describe("viewers that come and go", () => {
  it("all end with the runner's screen, and hear no byte twice, over seeded rounds", async () => {
    await using bench = await openBench()
    const programs = fc.sample(hostileProgram, { numRuns: cases({ usual: 30, deep: 200 }), seed: 11 })
    for (const [round, program] of programs.entries()) {
      const random = seeded(round)
      const { terminal, pty } = bench.open(size)
      const whole = createViewer(size)
      const tabs = [createTab(), createTab(), createTab()]
      const watching = tabs.map((tab) => follow(tab, random))
      const output = Buffer.concat([Buffer.from(random.next() < 0.7 ? ALT_SCREEN : ""), program])
      let readable = true
      for (let at = 0; at < output.length; ) {
        const piece = output.subarray(at, at + random.between(1, 40))
        at += piece.length
        readable = whole.write(piece) && readable
        terminal.write(piece)
        if (random.next() < 0.1) {
          const [rows, cols] = [random.between(5, 14), random.between(20, 60)]
          whole.terminal.resize(cols, rows)
          terminal.resize(rows, cols)
        }
        if (random.next() < 0.3) terminal.watched("somebody")
        if (random.next() < 0.5) await turn()
      }
      await terminal.close(0)
      await Promise.all(watching)
      for (const tab of tabs) {
        expect(tab.heard).toBeLessThanOrEqual(output.length)
        // Output that the emulator can't parse may look different, because terminal and viewer draw it in different
        // pieces.
        if (readable) expect(tab.viewer.looks(), `round ${round}`).toEqual(whole.looks())
      }

      async function follow(tab: Tab, random: Random): Promise<void> {
        while (!tab.ended) {
          const connection = new AbortController()
          const cut = random.between(0, 5)
          const cutting = (async () => {
            for (let turns = 0; turns < cut; turns++) await turn()
            if (random.next() < 0.8) connection.abort()
          })()
          await watch(bench.deps, pty, tab, connection.signal)
          await cutting
          if (random.next() < 0.1) Object.assign(tab, createTab())
        }
      }
    }
  })
})

describe("the log of a terminal", () => {
  it("holds a snapshot for every 256 KB, so that attaching stays short", async () => {
    await using bench = await openBench()
    const { terminal, pty } = bench.open(size)
    const line = Buffer.from(`${"abcdefgh".repeat(16)}\r\n`)
    for (let written = 0; written < 3_000_000; written += line.length) {
      terminal.write(line)
      if (written % (line.length * 400) === 0) await turn()
    }
    await terminal.close(0)
    const late = createTab()
    await watch(bench.deps, pty, late, new AbortController().signal)
    expect(late.frames[0]).toBe("snapshot")
    expect(late.heard).toBeLessThan(512 * 1024)
    expect(late.viewer.looks().rows.join("")).toContain("a|1")
  })

  it("stays small in a flood, and ends with the right screen", async () => {
    await using bench = await openBench()
    const { terminal, pty } = bench.open(size)
    const whole = createViewer(size)
    const tab = createTab()
    const watching = watch(bench.deps, pty, tab, new AbortController().signal)
    // The output never repeats. Repetition compresses differently in the bytes and in the log's base64 of them.
    const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16))
    const startedAt = performance.now()
    for (let written = 0; written < cases({ usual: 5_000_000, deep: 50_000_000 }); ) {
      const block = Buffer.from(`${noise.update(Buffer.alloc(48 * 1024)).toString("base64")}\r\n`)
      terminal.write(block)
      whole.write(block)
      written += block.length
      await turn()
    }
    await terminal.close(0)
    await watching
    const seconds = (performance.now() - startedAt) / 1000
    let loggedBytes = 0
    for await (const { bytes, value } of bench.deps.records.range(terminalLogName("s", pty))) {
      loggedBytes += bytes?.length ?? JSON.stringify(value).length
    }
    expect(tab.viewer.looks()).toEqual(whole.looks())
    let pictures = 0
    for await (const event of bench.deps.log.read(terminalLogName("s", pty), 0, {})) {
      // A large screen is in a blob.
      const screen: unknown = event.type === "terminal_snapshot" ? event.screen : undefined
      if (typeof screen === "string") pictures += deflateRawSync(screen).length
    }
    // The budget limits the logged bytes to 256 KB per second, one second ahead. Pictures come on top.
    expect(loggedBytes).toBeLessThan(((seconds + 2) * 256 * 1024 + pictures) * 1.5)
    expect(loggedBytes).toBeLessThan(25_000_000)
  })

  it("has a picture instead of bytes that repeat, where base64 keeps its records from getting small", async () => {
    await using bench = await openBench()
    const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(9000))
    // The length isn't a multiple of 4, so successive copies differ in base64. Equal copies are too far apart for the
    // compression to find.
    const block = noise.toString("base64").slice(0, 10_001)
    const logged = async (output: string) => {
      const { terminal, pty } = bench.open(size, { clock: createManualClock().clock })
      terminal.write(Buffer.from(output))
      await terminal.close(0)
      const events = await Array.fromAsync(bench.deps.log.read(terminalLogName("s", pty), 0, {}))
      return events.flatMap((event) => {
        const { type, bytes } = event as unknown as { type: string; bytes: string }
        return type === "terminal_bytes" ? [bytes] : []
      })
    }
    expect(deflateRawSync((await logged(block.repeat(60))).join("")).length).toBeLessThan(256 * 1024)
    expect(await logged("y\r\n".repeat(200_000))).not.toEqual([])
  })

  it("has what comes after a silence at once, gathers within the beat, and is left alone while nothing comes", async () => {
    await using bench = await openBench()
    const { clock, sleeping, wakeNext, pass } = createManualClock()
    const { terminal, pty } = bench.open(size, { clock })
    const logged = async () => {
      const events: TerminalEvent[] = []
      for await (const event of bench.deps.log.read(terminalLogName("s", pty), 0, {})) {
        events.push(event as unknown as TerminalEvent)
      }
      return events.flatMap((event) => (event.type === "terminal_bytes" ? text(event.bytes) : []))
    }
    const text = (bytes: string) => Buffer.from(bytes, "base64").toString()
    terminal.watched("tab")
    await expect.poll(sleeping).toBe(0)
    pass(1000)
    terminal.write(Buffer.from("a"))
    await expect.poll(logged).toEqual(["a"])
    for (const key of ["b", "c", "d"]) terminal.write(Buffer.from(key))
    expect(await wakeNext()).toBe(40)
    await expect.poll(logged).toEqual(["a", "bcd"])
    // No timer runs while no output waits.
    expect(sleeping()).toBe(0)
    pass(39)
    terminal.write(Buffer.from("e"))
    expect(await wakeNext()).toBe(1)
    await expect.poll(logged).toEqual(["a", "bcd", "e"])
    await terminal.close(0)
  })

  it("says of each byte which event it followed when it was written, not when it was logged", async () => {
    await using bench = await openBench()
    const { clock } = createManualClock()
    let sessionSeq = 3
    const { terminal, pty } = bench.open(size, { clock, sessionSeq: () => sessionSeq })
    terminal.write(Buffer.from("before"))
    sessionSeq = 4
    terminal.write(Buffer.from(" after"))
    terminal.write(Buffer.from("wards"))
    sessionSeq = 9
    await terminal.close(0)
    const written: unknown[] = []
    for await (const event of bench.deps.log.read(terminalLogName("s", pty), 0, {})) {
      const { type, bytes, after } = event as unknown as { type: string; bytes: string; after: number }
      if (type === "terminal_bytes") written.push([Buffer.from(bytes, "base64").toString(), after])
    }
    expect(written).toEqual([
      ["before", 3],
      [" afterwards", 4],
    ])
  })

  it("has everything that a viewer would see before whoever waits for that goes on", async () => {
    await using bench = await openBench()
    const { clock } = createManualClock()
    const { terminal, pty } = bench.open(size, { clock })
    terminal.watched("tab")
    terminal.write(Buffer.from("one"))
    await terminal.settled()
    terminal.write(Buffer.from("two"))
    await terminal.settled()
    let end = 0
    for await (const event of bench.deps.log.read(terminalLogName("s", pty), 0, {})) {
      const { type, offset, bytes } = event as unknown as Extract<TerminalEvent, { type: "terminal_bytes" }>
      if (type === "terminal_bytes") end = offset + Buffer.byteLength(bytes, "base64")
    }
    expect(end).toBe(6)
    await terminal.close(0)
    await terminal.settled()
  })

  it("is not hurried by whoever waits for it in a flood", async () => {
    await using bench = await openBench()
    const { clock, sleeping, wakeNext, pass } = createManualClock()
    const { terminal } = bench.open(size, { clock })
    terminal.watched("tab")
    await expect.poll(sleeping).toBe(0)
    pass(1000)
    terminal.write(Buffer.from("a"))
    await terminal.settled()
    terminal.write(Buffer.alloc(2 * 1024 * 1024, "flood"))
    terminal.write(Buffer.from("last"))
    const settled = terminal.settled()
    await expect.poll(sleeping).toBe(1)
    await turn()
    expect(sleeping()).toBe(1)
    expect(await wakeNext()).toBe(40)
    await settled
    await terminal.close(0)
  })

  it("ends with the exit code, after every byte", async () => {
    await using bench = await openBench()
    const { terminal, pty } = bench.open(size)
    terminal.write(Buffer.from("last words\u001b[3"))
    await terminal.close(7)
    const events: TerminalEvent[] = []
    for await (const event of bench.deps.log.read(terminalLogName("s", pty), 0, {})) {
      events.push(event as unknown as TerminalEvent)
    }
    expect(events.at(-1)).toMatchObject({ type: "terminal_ended", exit_code: 7, offset: 13 })
  })
})
