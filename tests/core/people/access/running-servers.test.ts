import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import {
  abandonedFiles,
  runningServerAt,
  runningServers,
  serverFile,
} from "@switchyard/core/people/access/running-servers"
import { afterEach, beforeEach, expect, it } from "vitest"

const of = (url: string, env: Record<string, string> = {}) => serverFile(new URL(url), { env, home: "/home/ada" })

let place: { env: Record<string, string>; home: string }
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), "servers-"))
  place = { env: {}, home }
})
afterEach(() => rmSync(place.home, { recursive: true }))

it("names one file for each server, whatever a loopback address is called", () => {
  const file = "/home/ada/.config/switchyard/servers/localhost-3000.json"
  for (const url of ["http://127.0.0.1:3000", "http://localhost:3000/x", "http://[::1]:3000"])
    expect(of(url)).toBe(file)
  expect(of("http://127.0.0.1:3001")).not.toBe(file)
})

it("gives another machine none of this one's", () => {
  const servers = "/etc/ada/switchyard/servers"
  const env = { XDG_CONFIG_HOME: "/etc/ada" }
  expect(of("https://studio.example", env)).toBe(`${servers}/studio.example-443.json`)
  expect(of("http://127.evil.test:3000", env)).toBe(`${servers}/127.evil.test-3000.json`)
  expect(of("http://[fe80::1]:3000", env)).toBe(`${servers}/_fe80__1_-3000.json`)
})

it("reads servers that run, and nothing else", () => {
  const server = { url: "http://127.0.0.1:3001/", pid: process.pid, checkout: "/a", dataFolder: "/a/.switchyard" }
  const gone = spawnSync(process.execPath, ["--version"]).pid
  expect(runningServers(place)).toEqual([])
  leave("http://127.0.0.1:3001", JSON.stringify(server))
  leave("http://127.0.0.1:3002", JSON.stringify({ ...server, pid: gone }))
  leave("http://127.0.0.1:3003", '{"url":')
  leave("http://127.0.0.1:3004", "{}")
  expect(runningServers(place)).toEqual([server])
  expect(runningServerAt(new URL("http://localhost:3001"), place)).toEqual(server)
  expect(runningServerAt(new URL("http://localhost:3002"), place)).toBeUndefined()
  const abandoned = [3002, 3003, 3004].map((port) => serverFile(new URL(`http://127.0.0.1:${port}`), place))
  expect(abandonedFiles(place)).toEqual(abandoned)
})

function leave(url: string, text: string): void {
  const file = serverFile(new URL(url), place)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
