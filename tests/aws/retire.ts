import { GetObjectTaggingCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { afterAll, expect, it } from "vitest"
import { retireAssets } from "../../tools/cloud/retire.ts"
import { RETIRED } from "../../tools/cloud/retired.ts"
import { connectS3 } from "../emulators/s3.ts"
import { connectAws } from "./connect.ts"

const { name, endpoint } = connectAws("eu-central-1")
const s3 = connectS3(endpoint)
afterAll(s3.close)

it(`marks the assets of earlier builds in S3 on ${name}, once, and changes nothing else of them`, async () => {
  const Bucket = await s3.createBucket("studio")
  const about = { ContentType: "text/javascript; charset=utf-8", CacheControl: "public, max-age=31536000, immutable" }
  const names = ["assets/old é+1.js", "assets/new-2.js", "index.html"]
  for (const Key of names) await s3.client.send(new PutObjectCommand({ Bucket, Key, Body: Key, ...about }))
  const tagsOf = async (Key: string) =>
    (await s3.client.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet?.map(({ Key, Value }) => [Key, Value])

  const retire = () => retireAssets({ client: s3.client, bucket: Bucket }, new Set(["assets/new-2.js"]))
  expect(await retire()).toBe(1)
  expect(await retire()).toBe(0)
  expect(await Promise.all(names.map(tagsOf))).toEqual([[[RETIRED.key, RETIRED.value]], [], []])
  expect(await s3.client.send(new HeadObjectCommand({ Bucket, Key: names[0] }))).toMatchObject(about)
})
