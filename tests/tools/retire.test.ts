import {
  CopyObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3"
import { mockClient } from "aws-sdk-client-mock"
import { beforeEach, expect, it } from "vitest"
import { retireAssets } from "../../tools/cloud/retire.ts"
import { RETIRED } from "../../tools/cloud/retired.ts"

const client = new S3Client({ region: "eu-central-1" })
const s3 = mockClient(client)
const FOREVER = "public, max-age=31536000, immutable"

/** Tags of the bucket's assets, by key. */
let assets: Record<string, string>
beforeEach(() => {
  s3.reset()
  assets = { "assets/old-1.js": "", "assets/old-2.css": `${RETIRED.key}=${RETIRED.value}`, "assets/new-3.js": "" }
  // Two pages, because a page has at most a thousand names.
  s3.on(ListObjectsV2Command).callsFake(({ Prefix, ContinuationToken }) => {
    const keys = Object.keys(assets).filter((key) => key.startsWith(Prefix))
    const page = ContinuationToken ? keys.slice(1) : keys.slice(0, 1)
    return { Contents: page.map((Key) => ({ Key })), NextContinuationToken: ContinuationToken ? undefined : "more" }
  })
  s3.on(GetObjectTaggingCommand).callsFake(({ Key }) => {
    const [key, value] = (assets[Key] ?? "").split("=")
    return { TagSet: key ? [{ Key: key, Value: value }] : [] }
  })
  s3.on(HeadObjectCommand).resolves({ ContentType: "text/javascript; charset=utf-8", CacheControl: FOREVER })
  s3.on(CopyObjectCommand).callsFake(({ Key, Tagging }) => {
    assets[Key] = Tagging
    return {}
  })
})

it("marks what isn't of this build, once, and changes nothing else of it", async () => {
  const current = new Set(["assets/new-3.js"])
  expect(await retireAssets({ client, bucket: "studio" }, current)).toBe(1)
  expect(s3.commandCalls(CopyObjectCommand).map(({ args }) => args[0].input)).toEqual([
    {
      ...{ Bucket: "studio", Key: "assets/old-1.js", CopySource: "studio/assets/old-1.js" },
      ...{ ContentType: "text/javascript; charset=utf-8", CacheControl: FOREVER },
      ...{ MetadataDirective: "REPLACE", TaggingDirective: "REPLACE", Tagging: "retired=yes" },
    },
  ])
  expect(await retireAssets({ client, bucket: "studio" }, current)).toBe(0)
})
