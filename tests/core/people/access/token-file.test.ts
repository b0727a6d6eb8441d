import { formatSharedToken, parseSharedToken, tokenFile } from "@switchyard/core/people/access/token-file"
import { expect, it } from "vitest"

const of = (url: string, env: Record<string, string> = {}) => tokenFile(new URL(url), { env, home: "/home/ada" })

it("names one file for each server, whatever a loopback address is called", () => {
  const file = "/home/ada/.config/switchyard/servers/localhost-3000.token"
  for (const url of ["http://127.0.0.1:3000", "http://localhost:3000/x", "http://[::1]:3000"])
    expect(of(url)).toBe(file)
  expect(of("http://127.0.0.1:3001")).not.toBe(file)
})

it("gives another machine none of this one's", () => {
  const servers = "/etc/ada/switchyard/servers"
  const env = { XDG_CONFIG_HOME: "/etc/ada" }
  expect(of("https://studio.example", env)).toBe(`${servers}/studio.example-443.token`)
  expect(of("http://127.evil.test:3000", env)).toBe(`${servers}/127.evil.test-3000.token`)
  expect(of("http://[fe80::1]:3000", env)).toBe(`${servers}/_fe80__1_-3000.token`)
})

it("reads what was written, and nothing else", () => {
  expect(parseSharedToken(`${formatSharedToken({ token: "sy_a_b", pid: 12 })}\n`)).toEqual({ token: "sy_a_b", pid: 12 })
  for (const text of ["", "sy_a_b", "sy_a_b 12 13", "sy_a_b x"]) expect(parseSharedToken(text)).toBeUndefined()
})
