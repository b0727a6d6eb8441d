import { isTaskBranch, taskBranch } from "@switchyard/core/files/worktrees/names"
import { folderOf, hostOf, parseRemote } from "@switchyard/core/files/worktrees/remote"
import { describe, expect, it } from "vitest"

describe("a repository's address", () => {
  it.each([
    "https://example.org/a/b.git",
    "http://localhost:3000/a.git",
    "ssh://git@example.org:22/a/b.git",
    "git://example.org/a.git",
    "git@github.com:owner/repo.git",
    "user@[::1]:path",
  ])("is taken as it is: %s", (url) => {
    expect(parseRemote(` ${url}\n`, { local: false })).toEqual({ url })
  })

  it("may be a folder only where folders are the caller's to name", () => {
    expect(parseRemote("/home/me/repo", { local: true })).toEqual({ url: "/home/me/repo" })
    expect(parseRemote("file:///home/me/repo", { local: true })).toEqual({ url: "file:///home/me/repo" })
    expect(() => parseRemote("/home/me/repo", { local: false })).toThrow(/folder on the server/)
    expect(() => parseRemote("file:///home/me/repo", { local: false })).toThrow(/folder on the server/)
  })

  it("gives its credentials apart, so that no file is told of them", () => {
    expect(parseRemote("https://me:p%40ss@example.org/a.git", { local: false })).toEqual({
      url: "https://example.org/a.git",
      credentials: { username: "me", password: "p@ss" },
    })
  })

  it.each([
    ["https://Example.org:8443/a.git", "example.org"],
    ["http://0x7f.1/a.git", "127.0.0.1"],
    ["http://[::1]:80/a.git", "[::1]"],
    ["ssh://git@example.org:22/a.git", "example.org"],
    ["ssh://[::1]/a.git", "::1"],
    ["git://example.org/a.git", "example.org"],
    ["git@example.org:a/b:c.git", "example.org"],
    ["git@[::1]:a.git", "::1"],
    ["/home/me/repo", undefined],
    ["file:///home/me/repo", undefined],
  ])("has the host that git connects to: %s", (url, host) => {
    expect(hostOf(parseRemote(url, { local: true }))).toBe(host)
  })

  it("has a folder where it has no host", () => {
    expect(folderOf({ url: "/home/me/repo" })).toBe("/home/me/repo")
    expect(folderOf(parseRemote("file:///home/me/a%20b/../c", { local: true }))).toBe("/home/me/c")
    expect(folderOf({ url: "https://example.org/a" })).toBeUndefined()
  })

  it.each([
    "",
    "   ",
    "ext::sh -c touch% /tmp/x",
    "fd::3",
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x@host:path",
    "ssh://-oProxyCommand=x/path",
    "ssh://-oProxyCommand=x@host/path",
    "user@-oProxyCommand=x:path",
    "user@host:-path",
    "https://",
    "ftp://example.org/a",
    "rsync://example.org/a",
    "file://host/share",
    "../relative",
    "relative/path",
    "host:path",
    "C:\\repo",
    "https://example.org/a\nb",
    "https://example.org/\0",
    "https://%zz@example.org/a",
    "ssh://me:password@example.org/a",
    "git://me@example.org/a",
    "git://me:password@example.org/a",
    // Git would connect to another host than the URL seems to name.
    "ssh://127.0.0.1%2Fx@example.org/a",
    "ssh://example.org?@127.0.0.1/a",
    "ssh://example.org#@127.0.0.1/a",
    "git://example.org%40127.0.0.1/a",
    "me@[example.org]:a",
    "file:///etc?x",
    "file:///etc%2fx",
  ])("is refused: %j", (text) => {
    for (const local of [true, false]) {
      expect(() => parseRemote(text, { local })).toThrow(expect.objectContaining({ code: "repository_error" }))
    }
  })
})

it("knows the branches of sessions, whose names are ones that git takes", () => {
  expect(taskBranch("a b/../c.lock")).toBe("switchyard/a-b----c-lock")
  expect([taskBranch("x"), "main", "switchyard", "feature/switchyard/x"].map(isTaskBranch)).toEqual([
    true,
    false,
    false,
    false,
  ])
})
