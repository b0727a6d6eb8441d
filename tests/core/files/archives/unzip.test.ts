import { randomBytes } from "node:crypto"
import { unzipChanges } from "@switchyard/core/files/archives/unzip"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ZipEntry, zipOf } from "../../../cli/zip.ts"

const refused = (message: string) => expect.objectContaining({ code: "workspace_validation_error", message })

describe("an archive that somebody sends", () => {
  it("becomes what puts its files and empty folders where they say", async () => {
    const zip = zipOf([
      { name: "src/a.ts", content: "a" },
      { name: "run.sh", content: "#!/bin/sh", mode: 0o100755 },
      { name: "empty/", mode: 0o040755 },
    ])
    expect(await unzipChanges(zip)).toEqual([
      { op: "write", path: "src/a.ts", bytes: Buffer.from("a"), mode: 0o644 },
      { op: "write", path: "run.sh", bytes: Buffer.from("#!/bin/sh"), mode: 0o755 },
      { op: "make_folder", path: "empty" },
    ])
  })

  const hostile: [string, ZipEntry[], string][] = [
    ["leads out of it", [{ name: "../a" }], "invalid relative path"],
    ["is absolute", [{ name: "/a" }], "absolute path"],
    ["is a link", [{ name: "a", content: "/etc/passwd", mode: 0o120777 }], "neither a file nor a folder"],
    ["occurs twice", [{ name: "a" }, { name: "a" }], "is a duplicate"],
    ["is a file and a folder", [{ name: "a" }, { name: "a/b" }], "is both a file and a folder"],
    ["is damaged", [{ name: "a", content: "a", crc: 1 }], "is damaged"],
    ["is longer than it says", [{ name: "a", content: "x".repeat(9), size: 3 }], "too many bytes"],
    [
      "makes too many folders",
      Array.from({ length: 250 }, (_, nth) => ({ name: `${nth}/${"a/".repeat(90)}b` })),
      "It has more than 20000 folders",
    ],
    ["is larger than is taken", [{ name: "a", content: "a", size: 2 ** 27 }], "makes it larger than 64 MB"],
  ]
  it.each(hostile)("is refused whole where an entry %s", async (_, entries, why) => {
    const changes = unzipChanges(zipOf([{ name: "good" }, ...entries]))
    await expect(changes).rejects.toEqual(refused(expect.stringContaining(why)))
  })

  it("is refused in one way, whatever its bytes are", async () => {
    const whole = zipOf([
      { name: "a", content: randomBytes(200).toString("hex") },
      { name: "b/", mode: 0o040755 },
    ])
    const harmed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    const survives = fc.asyncProperty(harmed, async (bytes) => {
      const zip = Buffer.from(whole)
      for (const [at, byte] of bytes) zip[at] = byte
      const outcome = await unzipChanges(zip).catch((error) => error)
      if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ code: "workspace_validation_error" })
    })
    await fc.assert(survives, { numRuns: 500 })
    for (const zip of [Buffer.alloc(0), Buffer.from("PK"), whole.subarray(0, 40)]) {
      await expect(unzipChanges(zip)).rejects.toMatchObject({ code: "workspace_validation_error" })
    }
  })
})
