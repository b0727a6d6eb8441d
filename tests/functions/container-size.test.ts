import { nameOfSize, sizeNamed } from "@switchyard/core/work/usage/machines"
import { loadConfig } from "@switchyard/functions/config"
import { readContainerSize, readContainerSizes } from "@switchyard/functions/container-size"
import { describe, expect, it } from "vitest"
import { ZodError } from "zod"

describe("the size of agents' containers", () => {
  it("is 1 vCPU of arm64, 4 GB and 20 GB of disk, and has 4 GB more for each further vCPU", () => {
    const unset = { RUNNER_ARCHITECTURE: "", RUNNER_VCPUS: "", RUNNER_MEMORY_GB: "" }
    for (const settings of [{}, unset]) {
      expect(readContainerSize(settings)).toEqual({ architecture: "arm64", vcpu: 1, gb: 4, diskGb: 20 })
    }
    expect(readContainerSize({ RUNNER_ARCHITECTURE: "amd64" }).architecture).toBe("amd64")
    const usual = [2, 4, 8, 16].map((vcpus) => readContainerSize({ RUNNER_VCPUS: String(vcpus) }).gb)
    expect(usual).toEqual([8, 16, 32, 64])
  })

  it.each([
    [1, [2, 3, 8], [1, 1.5, 9]],
    [2, [4, 5, 16], [3, 17]],
    [4, [8, 9, 30], [7, 31]],
    [8, [16, 20, 60], [15, 17, 64]],
    [16, [32, 40, 120], [24, 36, 128]],
  ])("with %i vCPUs, takes the memory that Fargate has and no other", (vcpus, some, none) => {
    const sized = (gb: number) => readContainerSize({ RUNNER_VCPUS: vcpus, RUNNER_MEMORY_GB: gb })
    expect(some.map((gb) => sized(gb).gb)).toEqual(some)
    for (const gb of none)
      expect(() => sized(gb)).toThrow(`RUNNER_MEMORY_GB: With RUNNER_VCPUS=${vcpus}, Fargate only has`)
  })

  it("has errors that name the valid values", () => {
    expect(() => readContainerSize({ RUNNER_ARCHITECTURE: "x86_64" })).toThrow("Fargate only has arm64 and amd64.")
    expect(() => readContainerSize({ RUNNER_VCPUS: "3" })).toThrow("RUNNER_VCPUS: Fargate only has 1, 2, 4, 8, 16.")
    // The server prints these errors like those of other settings.
    expect(() => loadConfig({ RUNNER_VCPUS: "3" })).toThrow(ZodError)
    expect(() => readContainerSize({ RUNNER_MEMORY_GB: "lots" })).toThrow("only has 2 to 8 GB, in whole numbers.")
    for (const RUNNER_DISK_GB of ["19", "201", "20.5", "big"]) {
      expect(() => readContainerSize({ RUNNER_DISK_GB })).toThrow("Fargate only has 20 to 200 GB, in whole numbers.")
    }
  })
})

describe("the sizes that a repository's settings may name", () => {
  it("are those that the stage lists, with the defaults for what a size leaves out", () => {
    const settings = { RUNNER_ARCHITECTURE: "amd64", RUNNER_DISK_GB: "30", RUNNER_SIZES: "4, 8x60 ,16x120x200" }
    const { others } = readContainerSizes(settings)
    expect(others).toEqual([
      { architecture: "amd64", vcpu: 4, gb: 16, diskGb: 30 },
      { architecture: "amd64", vcpu: 8, gb: 60, diskGb: 30 },
      { architecture: "amd64", vcpu: 16, gb: 120, diskGb: 200 },
    ])
    expect(others.map(nameOfSize)).toEqual(["4x16x30", "8x60x30", "16x120x200"])
    for (const size of others) expect(sizeNamed(nameOfSize(size))).toEqual({ ...size, architecture: undefined })
    expect(readContainerSizes({}).others).toEqual([])
    expect(["", "4", "4x", "4x16x50x1", "-4x16", "4x16 "].map(sizeNamed)).toEqual(Array(6).fill(undefined))
  })

  it.each([
    ["3", "3: Fargate only has 1, 2, 4, 8, 16."],
    ["4,1x16", "1x16: With RUNNER_VCPUS=1, Fargate only has 2 to 8 GB"],
    ["4x16x201", "4x16x201: Fargate only has 20 to 200 GB"],
    ["4x16x25", "4x16x25 has less disk than RUNNER_DISK_GB."],
    ["large", "large isn't a size such as 4, 4x16 or 4x16x50"],
  ])("can't contain %s, with an error that names the setting", (RUNNER_SIZES, message) => {
    const settings = { RUNNER_DISK_GB: "30", RUNNER_SIZES }
    expect(() => readContainerSizes(settings)).toThrow(`RUNNER_SIZES: ${message}`)
    expect(() => loadConfig(settings)).toThrow(ZodError)
  })
})
