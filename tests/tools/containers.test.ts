import { describe, expect, it } from "vitest"
import { containersFound } from "../../tools/cloud/containers.ts"

describe("the settings of containers", () => {
  it.each([
    [{ WARM_RUNNERS: "some" }, "WARM_RUNNERS must be the number"],
    [{ RUNNER_VCPUS: "3" }, "RUNNER_VCPUS"],
    [{ RUNNER_SUBNETS: "subnet-0a1b2c3d" }, "RUNNER_SUBNETS and RUNNER_SECURITY_GROUP must both be set"],
    [{ RUNNER_NO_PROXY: "example.com" }, "RUNNER_NO_PROXY needs"],
    [{ RUNNER_PACKAGES: "Maven" }, "RUNNER_PACKAGES"],
    [{ RUNNER_BROWSER: "yes" }, 'RUNNER_BROWSER must be "on" or "off"'],
    [{ FIREWALL: "true" }, 'FIREWALL is "true"'],
  ])("are refused before a deployment, with and without agents: %j", (env, says) => {
    for (const AGENTS of ["on", undefined]) {
      expect(containersFound({ ...env, AGENTS })).toEqual([{ kind: "missing", says: expect.stringContaining(says) }])
    }
  })

  it("need no findings without agents if they are valid", () => {
    expect(containersFound({ FIREWALL: "on" })).toEqual([])
  })
})
