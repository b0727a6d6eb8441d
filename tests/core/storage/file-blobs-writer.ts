import { createFileBlobs } from "@switchyard/core/storage/files"

// Puts one version after another in many chunks and reports each, until it is killed. Another upload never ends.
const [directory = ""] = process.argv.slice(2)
const blobs = createFileBlobs({ directory, publicUrl: "", signingKey: new Uint8Array(32) })
const never = new Promise(() => {})

void blobs.put("endless", endless())
for (let n = 0; ; n++) {
  await blobs.put(`k${n % 7}`, version(n))
  process.send?.(n)
}

async function* version(n: number) {
  yield Buffer.from(String(n))
  for (let chunk = 0; chunk < 50; chunk++) yield Buffer.from(`,${n}`)
}

async function* endless() {
  yield Buffer.from("begun")
  await never
}
