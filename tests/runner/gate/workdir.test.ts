import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Check } from "@switchyard/core/work/gate/check"
import { whyNotGuarded } from "@switchyard/runner/gate/guarded"
import { javaOptions } from "@switchyard/runner/gate/java-options"
import { findWorkdir, type WorkdirDeps } from "@switchyard/runner/gate/workdir"
import { HOST_LISTS, readAgentHosts } from "@switchyard/runner/network/agent-hosts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const test = (program: string): Check => ({ name: "test", command: `${program} test`, program })

describe("the workdir of a check", () => {
  let home: string
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "place-"))
    for (const file of [join(home, ".cargo/bin/cargo"), join(home, "bin/cargo")]) {
      mkdirSync(join(file, ".."), { recursive: true })
      writeFileSync(file, "")
      chmodSync(file, 0o755)
    }
  })
  afterAll(() => rmSync(home, { recursive: true }))

  const find = (PATH: string, host: Record<string, string> = {}) =>
    findWorkdir(
      { host: { HOME: home, PATH, ...host }, homes: "/homes" } as unknown as WorkdirDeps,
      { purpose: "checks", sid: "s" },
      [test("cargo")],
    )

  it("has the toolchains that a Cargo of rustup's starts", async () => {
    const rustup = {
      needs: expect.arrayContaining([join(home, ".rustup")]),
      env: { RUSTUP_HOME: join(home, ".rustup") },
    }
    expect(await find(join(home, ".cargo/bin"))).toMatchObject(rustup)
    expect(await find(join(home, ".cargo/bin"), { RUSTUP_HOME: "/opt/rustup" })).toMatchObject({
      env: { RUSTUP_HOME: "/opt/rustup" },
    })
    expect(await find(join(home, "bin"))).toHaveProperty("needs", [join(home, "bin/cargo")])
  })

  it("is none where the program isn't there", async () => {
    expect(await find(join(home, "none"))).toEqual({ missing: "cargo" })
  })
})

describe("a command that runs code of the project while it fetches packages", () => {
  const maven: Check = { ...test("mvn"), network: true, guarded: true }
  const checkHosts = readAgentHosts(undefined, HOST_LISTS.checks)
  const confined = async (means?: "bubblewrap" | "sandbox-exec") =>
    ({ ...(means && { means }), confine: (_, program) => program }) as Awaited<ReturnType<WorkdirDeps["confinement"]>>

  it("is run only where it reaches nothing but listed hosts", async () => {
    const why = (means: "bubblewrap" | "sandbox-exec" | undefined, hosts = checkHosts) =>
      whyNotGuarded({ checkHosts: hosts, confinement: () => confined(means) }, [maven])
    expect(await why("bubblewrap")).toBeUndefined()
    for (const means of [undefined, "sandbox-exec"] as const)
      expect(await why(means)).toMatch(/^Maven runs project code/)
    expect(await whyNotGuarded({ checkHosts: undefined, confinement: () => confined("bubblewrap") }, [maven])).toMatch(
      /^Maven/,
    )
    expect(await whyNotGuarded({ checkHosts, confinement: () => confined() }, [test("npm")])).toBeUndefined()
  })

  it("is told of its home and the proxy, which Java doesn't read from variables", () => {
    expect(javaOptions("/home/a", "http://127.0.0.1:3128")).toMatch(
      /-Duser\.home=\/home\/a .*-Dhttps\.proxyHost=127\.0\.0\.1 -Dhttps\.proxyPort=3128$/,
    )
    expect(javaOptions("/home/a", undefined)).not.toContain("proxy")
  })
})
