import { spawnSync } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { demoOffer } from "@switchyard/core/models/demo-offer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { dataUri, pngOf } from "../fixtures/images.ts"
import { needs } from "../needs.ts"
import { event, RUN_ID, startScriptedServer } from "./scripted-server.ts"
import { type Ended, noTerminals, switchyard } from "./spawn.ts"
import { zipOf } from "./zip.ts"

const visit = { iteration: 1, namespace: [], step: 1, task_id: "t", triggers: [] }
const began = [
  event(1, "run_created", {
    kind: "workflow",
    model: "scripted/demo",
    input: { user_prompt: "x", recursion_limit: 9 },
  }),
  event(2, "run_claimed", { generation: 1, executor: "e" }),
  event(3, "node_started", { ...visit, node: "architect" }),
  event(4, "node_finished", {
    ...visit,
    node: "architect",
    duration_ms: 5,
    update: { task_plan: { implementation_steps: [{ file_path: "src/\x1b[31mstore.ts", task_description: "" }] } },
  }),
  event(5, "node_started", { ...visit, node: "coder" }),
  event(6, "model_text", { ...visit, node: "coder", text: "const", lengths: [5] }),
]
const completed = event(7, "run_completed", { duration_ms: 1500, workspace_version: 1 })
const failed = event(7, "run_failed", {
  duration_ms: 1,
  error_type: "auth_error",
  message: "No key.",
  hint: "Set one.",
})
const cancelled = event(7, "run_cancelled", { duration_ms: 1, reason: "asked for" })
const zip = zipOf([{ name: "src/a.ts", content: "a" }])

let server: Awaited<ReturnType<typeof startScriptedServer>> | undefined
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "cli-"))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  await rm(root, { recursive: true })
})

async function arrange(script: Parameters<typeof startScriptedServer>[0]) {
  server = await startScriptedServer(script)
  return server
}

const jsonLines = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("a run in a pipe", () => {
  it("tells one plain line an event and the progress between them, and ends with 0", async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const { code, stdout, stderr } = await switchyard(["run", "a store"], { url })
    expect(stdout.trimEnd().split("\n")).toEqual([
      "run        run_1 in workspace ws-1",
      `demo       The built-in demo is answering, not a language model. ${demoOffer}`,
      "system     Run started  scripted/demo",
      "system     Run picked up  e",
      "architect  Architect started",
      "architect  Architect finished: 1 step  5 ms",
      "coder      Coder started",
      "progress   file 1/1  src/store.ts",
      "system     Run complete  1.5 s",
    ])
    expect([code, stderr]).toEqual([0, ""])
  })

  it("has colours only where they are forced, and nothing is redrawn", async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const { stdout } = await switchyard(["run", "x"], { url, env: { FORCE_COLOR: "1" } })
    expect(stdout).toContain("\x1b[32mRun complete  1.5 s\x1b[39m")
    for (const moved of ["\r", "\x1b[K", "\x1b[31mstore"]) expect(stdout).not.toContain(moved)
  })

  it("is the log and nothing else with --json, through cuts and broken requests, of one run only", async () => {
    const server = await arrange({
      events: [...began, completed],
      cutAfter: (stream) => [30, 400, 900][stream],
      faults: { on: /POST \/v1\/runs$/, faults: ["break", "break after doing", 503] },
    })
    const ended = await switchyard(["--json", "run", "x"], { url: server.url })
    expect(ended.code).toBe(0)
    expect(jsonLines(ended)).toEqual([...began, completed])
    expect(ended.stdout).not.toContain("\x1b")
    expect(server.runs()).toBe(1)
  })

  it("ends with 1 when the run failed, and says why", async () => {
    const { url } = await arrange({ events: [...began, failed] })
    const { code, stdout } = await switchyard(["run", "x"], { url })
    expect([code, stdout]).toEqual([1, expect.stringContaining("\nsystem     No key. Set one.  auth_error · 1 ms\n")])
  })

  it("ends with 7 when the run has a warning, however it is watched, and shows it", async () => {
    const warning = 'No file contains "Order now".'
    const warned = { ...completed, warning }
    const { url } = await arrange({ events: [...began, warned], run: { warning } })
    const { code, stdout } = await switchyard(["run", "x"], { url })
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([
      7,
      `system     Run complete, with a warning: ${warning}  1.5 s`,
    ])
    expect((await switchyard(["events", RUN_ID, "--follow", "--json"], { url })).code).toBe(7)
    expect((await switchyard(["status", RUN_ID], { url })).stdout).toContain(`  Warning: ${warning}`)
  })

  it("ends with 6 when a check was asked for and none was made", async () => {
    const verdict = { status: "not_run", workspace_version: 1, checks: [], reason: "There is no sandbox." }
    const { url } = await arrange({ events: [...began, completed], run: { verdict } })
    expect((await switchyard(["run", "x", "--check"], { url })).code).toBe(6)
    expect((await switchyard(["run", "x"], { url })).code).toBe(0)
  })

  it.each([
    ["failed", failed],
    ["was cancelled", cancelled],
  ])("names the files of a run that %s, and how to get them", async (_, end) => {
    const { url } = await arrange({ events: [...began, end] })
    const { stdout } = await switchyard(["run", "x"], { url })
    expect(stdout.trimEnd().split("\n").slice(-2)).toEqual([
      "files      In the workspace: src/a.ts, README.md",
      "files      To download them: npx switchyard download --workspace ws-1 --out DIR",
    ])
    const { stdout: json } = await switchyard(["run", "x", "--json"], { url })
    expect(json).not.toContain("To download")
  })

  it.each([
    ["--review", true],
    ["--no-review", false],
  ])("asks for what %s says, and for an agent refuses it", async (option, review) => {
    const { url, requests } = await arrange({ events: [...began, completed] })
    await switchyard(["run", "x", option], { url })
    expect(requests[0]?.body).toEqual({ user_prompt: "x", review })
    expect((await switchyard(["run", "x", option, "--agent", "mock"], { url })).code).toBe(2)
  })

  it("ends with 3 when somebody else cancelled the run", async () => {
    const { url } = await arrange({ events: [...began, cancelled] })
    expect((await switchyard(["run", "x"], { url })).code).toBe(3)
  })

  it("sends what it was told, and takes a prompt from stdin", async () => {
    const { url, requests } = await arrange({ events: [...began, completed] })
    await switchyard(["run", "-", "--model", "m/x", "--workspace", "w"], { url, stdin: "from stdin" })
    expect(requests[0]?.body).toEqual({ user_prompt: "from stdin", model: "m/x", workspace_id: "w" })
  })

  it("takes images along, but no other files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "switchyard-images-"))
    const [small = "", text = ""] = ["a.png", "c.png"].map((name) => join(folder, name))
    await Promise.all([writeFile(small, pngOf(3, 3)), writeFile(text, "no image")])
    const { url, requests } = await arrange({ events: [...began, completed] })
    await switchyard(["run", "x", "--image", small, "--image", small], { url })
    const image = { name: "a.png", src: dataUri(pngOf(3, 3)) }
    expect(requests[0]?.body).toEqual({ user_prompt: "x", images: [image, image] })
    const { length } = requests
    for (const wrong of [text, join(folder, "none.png")])
      expect((await switchyard(["run", "x", "--image", wrong], { url })).code).toBe(2)
    expect(requests).toHaveLength(length)
    await rm(folder, { recursive: true })
  })

  it("prints the run's id and leaves it running with --detach", async () => {
    const { url, requests } = await arrange({ events: began })
    expect(await switchyard(["run", "x", "--detach"], { url })).toEqual({ code: 0, stdout: "run_1\n", stderr: "" })
    expect(requests).toHaveLength(1)
  })
})

describe("a run that is interrupted", () => {
  const interruptAt = (text: string) => {
    let done = false
    return (output: string, child: { kill: (signal: "SIGINT") => boolean }) => {
      if (!done && output.includes(text)) done = child.kill("SIGINT")
    }
  }

  it("is cancelled, waited for, and ends with 3", async () => {
    const server = await arrange({ events: began, onCancel: [cancelled] })
    const ended = await switchyard(["run", "x"], { url: server.url, onOutput: interruptAt("coder") })
    expect([ended.code, server.cancels()]).toEqual([3, 1])
    expect(ended.stderr).toContain("Cancelling.")
    expect(ended.stdout).toContain("Run stopped")
  })

  it("is left at once by a second interrupt, which says how to follow it", async () => {
    const server = await arrange({ events: began })
    const first = interruptAt("coder")
    const second = interruptAt("Cancelling.")
    const onOutput: typeof first = (output, child) => [first, second].forEach((at) => void at(output, child))
    const ended = await switchyard(["run", "x"], { url: server.url, onOutput })
    expect(ended.code).toBe(130)
    expect(ended.stderr).toContain("switchyard events run_1 --follow")
  })

  it("is not cancelled when only its events were followed", async () => {
    const server = await arrange({ events: began })
    const ended = await switchyard(["events", RUN_ID, "--follow"], { url: server.url, onOutput: interruptAt("coder") })
    expect([ended.code, server.cancels()]).toEqual([130, 0])
  })
})

describe("a run with a timeout", () => {
  it("is cancelled when the time is over, and ends with 5", async () => {
    const server = await arrange({ events: began, onCancel: [cancelled] })
    const ended = await switchyard(["run", "x", "--timeout", "0.3"], { url: server.url })
    expect([ended.code, server.cancels()]).toEqual([5, 1])
    expect(ended.stderr).toContain("The timeout of 0.3 s has passed. Cancelling.")
  })

  it("is left running with --detach", async () => {
    const server = await arrange({ events: began })
    const ended = await switchyard(["run", "x", "--timeout", "0.3", "--detach"], { url: server.url })
    expect([ended.code, server.cancels()]).toEqual([5, 0])
    expect(ended.stderr).toContain("switchyard events run_1 --follow")
  })
})

describe("the finished project", () => {
  it("lies in --out, fetched by a link that carries no header of ours", async () => {
    const { url, requests } = await arrange({ events: [...began, completed], zip })
    const out = join(root, "new/out")
    const secrets = { SWITCHYARD_TOKEN: "token-12345678", SWITCHYARD_API_KEY: "key-12345678" }
    const { code, stdout } = await switchyard(["run", "x", "--out", out], { url, env: secrets })
    expect([code, await readFile(join(out, "src/a.ts"), "utf8")]).toEqual([0, "a"])
    expect(stdout).toContain(`files      1 file in ${out}`)
    const sent = (path: string) => requests.find((request) => request.path.startsWith(path))?.headers
    expect(sent("/v1/runs")).toMatchObject({ authorization: "Bearer token-12345678", "x-api-key": "key-12345678" })
    expect(sent("/blobs")?.authorization ?? sent("/blobs")?.["x-api-key"]).toBeUndefined()
  })

  it("is refused a directory that is not empty before anything starts", async () => {
    const server = await arrange({ events: [...began, completed], zip })
    await writeFile(join(root, "mine"), "mine")
    const ended = await switchyard(["run", "x", "--out", root], { url: server.url })
    expect([ended.code, server.requests.length]).toEqual([2, 0])
    expect(ended.stderr).toContain("isn't empty. Use --force")
    expect((await switchyard(["run", "x", "--out", root, "--force"], { url: server.url })).code).toBe(0)
    expect((await readdir(root)).sort()).toEqual(["mine", "src"])
  })

  it("is not there at all when its archive is hostile", async () => {
    const { url } = await arrange({ events: [...began, completed], zip: zipOf([{ name: "../evil", content: "x" }]) })
    const { code, stderr } = await switchyard(["run", "x", "--out", join(root, "a/out")], { url })
    expect(code).toBe(1)
    expect(stderr).toContain("invalid relative path")
    expect(await readdir(join(root, "a"))).toEqual([])
  })

  it("is fetched by `download` too, into a directory of the workspace's name or as a zip", async () => {
    const { url } = await arrange({ events: [...began, completed], zip })
    expect((await switchyard(["download"], { url, cwd: root })).stdout).toBe("1 file in ws-1\n")
    expect(await readFile(join(root, "ws-1/src/a.ts"), "utf8")).toBe("a")
    const save = ["download", "--run", RUN_ID, "--zip", "a.zip"]
    expect((await switchyard(save, { url, cwd: root })).code).toBe(0)
    expect(await readFile(join(root, "a.zip"))).toEqual(zip)
    expect((await switchyard(save, { url, cwd: root })).code).toBe(2)
    expect((await switchyard([...save, "--force"], { url, cwd: root })).code).toBe(0)
    expect((await readdir(root)).sort()).toEqual(["a.zip", "ws-1"])
  })
})

describe("a project whose zip takes a while", () => {
  const script = { events: [...began, completed], zip }

  it("is asked for until there is a link, where the server says", async () => {
    const preparing = { statusUrl: "/workspace/archives/abc?workspace_id=ws-1", times: 3 }
    const server = await arrange({ ...script, preparing })
    expect((await switchyard(["download"], { url: server.url, cwd: root })).stdout).toBe("1 file in ws-1\n")
    const asked = server.requests.map(({ path }) => path).filter((path) => /^\/workspace\/[da]/.test(path))
    expect(asked).toEqual(["/workspace/download?workspace_id=ws-1&link=true", ...Array(3).fill(preparing.statusUrl)])
  })

  it.each(["https://elsewhere.example/workspace/archives/abc", "//elsewhere.example/workspace/archives/abc"])(
    "is never asked for at %s, where our token would go along",
    async (statusUrl) => {
      const { url } = await arrange({ ...script, preparing: { statusUrl, times: 1 } })
      const { code, stderr } = await switchyard(["download"], { url, cwd: root })
      expect([code, stderr]).toEqual([1, expect.stringContaining("has an unexpected format")])
    },
  )
})

describe("other questions", () => {
  it("events: all pages of a log, or what comes after a place in it", async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const seqs = async (...args: string[]) =>
      jsonLines(await switchyard(["events", RUN_ID, "--json", ...args], { url })).map(({ seq }) => seq)
    expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await seqs("--since", "5")).toEqual([6, 7])
    expect(await seqs("--since", "99")).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  it("events --follow: ends as the run did", async () => {
    const { url } = await arrange({ events: [...began, failed] })
    expect((await switchyard(["events", RUN_ID, "--follow", "--since", "6"], { url })).code).toBe(1)
  })

  it("files: each with its size", async () => {
    const { url } = await arrange({ events: began })
    const { stdout, stderr } = await switchyard(["files"], { url })
    expect(stdout).toBe("       2 B  src/a.ts\n    1.5 KB  README.md\n")
    expect(stderr).toContain("ws-1")
    expect(jsonLines(await switchyard(["files", "--workspace", "w", "--json"], { url }))[0]).toEqual({
      path: "src/a.ts",
      size: 2,
    })
  })

  it("status and cancel: how a run is", async () => {
    const { url } = await arrange({ events: began })
    expect((await switchyard(["status"], { url })).stdout).toMatch(/^server healthy, version 1.2.3, up 5.0 s\nrun_1 /)
    expect((await switchyard(["cancel", RUN_ID], { url })).stdout).toContain("running, cancelling")
    expect(jsonLines(await switchyard(["status", RUN_ID, "--json"], { url }))).toMatchObject([{ run_id: RUN_ID }])
  })

  it("a run of an earlier server, or of a later one, is a run", async () => {
    const later = { of_a_later_version: { a: 1 }, links: { stream: "", events: "", download: "", later: "" } }
    const { url } = await arrange({ events: [...began, completed], run: { warning: undefined, ...later } })
    const { code, stdout } = await switchyard(["run", "A page"], { url })
    expect([code, stdout]).toEqual([0, expect.stringContaining("run_1 in workspace ws-1")])
    expect(jsonLines(await switchyard(["status", RUN_ID, "--json"], { url }))).toMatchObject([{ warning: null }])
  })

  it("a run that is not there is refused with 1", async () => {
    const { url } = await arrange({ events: began })
    const { code, stderr } = await switchyard(["status", "run_9"], { url })
    expect([code, stderr]).toEqual([1, "switchyard: There is no such run.\n"])
  })
})

describe("bad usage", () => {
  it.each([
    [[]],
    [["run"]],
    [["run", " "]],
    [["run", "x", "--timeout", "soon"]],
    [["run", "x", "--detach", "--out", "o"]],
    [["fly"]],
    [["status", "--fast"]],
    [["events", "r", "--since", "-1"]],
    [["files", "--run", "r", "--workspace", "w"]],
    [["download", "--zip", "a", "--out", "b"]],
    [["status", "--url", "ftp://x"]],
    [["status", "--url", "http://user:pass@x"]],
  ])("%j ends with 2 and says so on stderr only", async (args) => {
    const { code, stdout, stderr } = await switchyard(args)
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).not.toBe("")
  })

  it("is explained by --help, with every exit code", async () => {
    const { code, stdout } = await switchyard(["--help"])
    expect(code).toBe(0)
    for (const exit of [0, 1, 2, 3, 4, 5, 130]) expect(stdout).toMatch(new RegExp(`^  ${exit} +\\S`, "m"))
  })
})

describe("a server out of reach", () => {
  it("ends with 4 after a few tries when it never answered", async () => {
    const { url, close } = await startScriptedServer({ events: [] })
    await close()
    const { code, stderr } = await switchyard(["run", "x"], { url })
    expect([code, stderr]).toEqual([4, `switchyard: ${url} can't be reached (ECONNREFUSED).\n`])
  })

  it("ends with 4 when patience with a known one ends, and says how to follow the run", async () => {
    const server = await startScriptedServer({ events: began })
    let closing: Promise<void> | undefined
    const ended = await switchyard(["run", "x", "--patience", "1"], {
      url: server.url,
      onOutput: (output) => {
        if (output.includes("coder")) closing ??= server.close()
      },
    })
    await closing
    expect(ended.code).toBe(4)
    expect(ended.stderr).toContain("switchyard events run_1 --follow")
  })

  it("is what anything else that answers counts as, and no key is sent where it redirects to", async () => {
    const { createServer } = await import("node:http")
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(request.url ?? "")
      if (request.url?.startsWith("/moved")) response.writeHead(302, { location: "/elsewhere" }).end()
      else response.writeHead(404).end("<html>")
    })
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done))
    const { port } = other.address() as { port: number }
    const url = `http://127.0.0.1:${port}`
    expect((await switchyard(["status"], { url })).code).toBe(4)
    const moved = await switchyard(["status"], { url: `${url}/moved` })
    expect([moved.code, moved.stderr]).toEqual([
      1,
      "switchyard: The server redirects to /elsewhere. Use that URL with --url.\n",
    ])
    expect(seen).not.toContain("/elsewhere")
    other.close()
  })
})

describe("secrets", () => {
  it("are never printed, not even when the server or a model says them", async () => {
    const secret = "sk-very-secret"
    const leaky = event(7, "run_failed", {
      duration_ms: 1,
      error_type: "x",
      message: `Bad key ${secret}.`,
      hint: secret,
    })
    const { url } = await arrange({ events: [...began, leaky] })
    for (const args of [["run", "x"], ["run", "x", "--json"], ["status", RUN_ID], ["--help"]]) {
      const { stdout, stderr } = await switchyard(args, {
        url,
        env: { SWITCHYARD_API_KEY: secret, SWITCHYARD_TOKEN: secret },
      })
      expect(stdout + stderr).not.toContain(secret)
    }
  })

  it("are refused unseen when no header can carry them", async () => {
    const { code, stderr } = await switchyard(["status"], {
      url: "http://127.0.0.1:9",
      env: { SWITCHYARD_TOKEN: "two words" },
    })
    expect([code, stderr]).toEqual([2, "switchyard: --token contains a character that isn't allowed in a header.\n"])
  })
})

describe("a reader that has seen enough", () => {
  it("ends the command as Unix does", async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const ended = await switchyard(["events", RUN_ID, "--follow"], {
      url,
      onOutput: (_output, child) => void child.stdout?.destroy(),
    })
    expect([0, 141]).toContain(ended.code)
    expect(ended.stderr).toBe("")
  })
})

describe("a run on a terminal", needs(noTerminals()), () => {
  it("redraws its progress in place, beneath the lines, and leaves none of it", async () => {
    const server = await arrange({ events: began })
    const { code, stdout } = await switchyard(["run", "x"], {
      url: server.url,
      tty: true,
      onOutput: (output) => {
        if (output.includes("5 characters") && server.runs() === 1) server.push(completed)
      },
    })
    expect(code).toBe(0)
    expect(stdout).toContain("\r\x1b[Kfile 1/1  src/store.ts  5 characters")
    expect(stdout).toMatch(/Run complete {2}1\.5 s/)
    // The output ends with the sequence that clears the progress line.
    expect(stdout.slice(stdout.lastIndexOf("characters"))).toMatch(/^characters {2}\d\.\d s\r.\[K$/)
    expect(stdout).toContain("\x1b[32m")
    expect(stdout).not.toContain("progress ")
  })

  it("has no colours with NO_COLOR, but still redraws", async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const { stdout } = await switchyard(["run", "x"], { url, tty: true, env: { NO_COLOR: "1" } })
    expect(stdout).not.toMatch(/.\[\d+m/)
    expect(stdout).toContain("\r\x1b[K")
  })
})

it("is a command that can be executed", async () => {
  const main = new URL("../../packages/cli/src/main.mjs", import.meta.url)
  expect((await stat(main)).mode & 0o111).toBe(0o111)
  expect(await readFile(main, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/)
})

const olderNode = ["/usr/bin/node", "/usr/local/bin/node"].find((node) => {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" })
  return Number.parseInt(stdout?.slice(1) ?? "", 10) < 24
})

it(
  "is run by its own Node where it is started by an older one",
  needs(olderNode ? undefined : "there is no Node before 24 in /usr/bin or /usr/local/bin"),
  async () => {
    const { url } = await arrange({ events: [...began, completed] })
    const { stdout, stderr, code } = await switchyard(["run", "x"], { url, node: olderNode })
    expect({ stderr, code }).toEqual({ stderr: expect.not.stringContaining("SyntaxError"), code: 0 })
    expect(stdout).toContain("Run complete")
    expect(await switchyard(["nonsense"], { url, node: olderNode })).toMatchObject({ code: 2 })
  },
)
