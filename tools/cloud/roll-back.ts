import type { LambdaClient } from "@aws-sdk/client-lambda"
import {
  CopyObjectCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from "@aws-sdk/client-s3"
import { mapConcurrent } from "@switchyard/core/concurrency/map-concurrent"
import { pageHeaders } from "@switchyard/functions/http/studio"
import { commitOf, PAGE, pageOf } from "./live.ts"
import { liveVersion, makeLive, type PublishedVersion, publishedVersions } from "./versions.ts"

interface RollBackDeps {
  lambda: LambdaClient
  s3: S3Client
  functions: string[]
  /** Bucket of the studio's files. */
  studio: string
}

interface Move {
  name: string
  live: PublishedVersion
  target: PublishedVersion
}

/** Settings that the rest of the stage must share. After a change, an earlier version can't work anymore. */
const SHARED = ["TABLE", "BUCKET", "MASTER_KEY", "ADMIN_TOKEN", "ORIGIN_SECRET", "PREVIEW_SECRET", "PREVIEW_KEY"]
/** Settings that differ in every deployment. */
const OWN = ["VERSION", "RUNNER"]
const AT_ONCE = 16

/**
 * Makes an earlier version of all functions and of the studio live. `code` is the version of the code, or the start of
 * its commit. Changes nothing if that isn't possible. If it is interrupted, the same call continues. Returns the version
 * and the names of other settings that were different then.
 */
export async function rollBack(deps: RollBackDeps, code: string): Promise<{ code: string; settings: string[] }> {
  const moves = await Promise.all(deps.functions.map((name) => findMove(deps.lambda, name, code)))
  const changed = new Set(moves.flatMap(({ live, target }) => changedSettings(live, target)))
  const shared = SHARED.filter((name) => changed.has(name))
  if (shared.length > 0) throw new Error(`It can't be made live again, because of other changes: ${shared.join(", ")}.`)
  const [first] = moves
  if (!first) throw new Error("The stage has no functions.")
  await checkPage(deps, first)
  await moveAll(deps.lambda, moves)
  await replacePage(deps, first.target.code)
  return { code: first.target.code, settings: [...changed].filter((name) => !OWN.includes(name)).sort() }
}

/**
 * Makes the newest version of all functions and of the studio live, which is the one just deployed. Pulumi doesn't know
 * of rollbacks, so it doesn't move the alias of a function that this deployment left unchanged, or replace the page.
 */
export async function makeNewestLive({ lambda, s3, functions, studio }: RollBackDeps): Promise<void> {
  const moves = functions.map(async (name) => {
    const [newest] = await publishedVersions(lambda, name)
    if (!newest) throw new Error(`There is no published version of ${name}.`)
    await makeLive(lambda, name, newest.number)
    return newest.code
  })
  const [code] = await Promise.all(moves)
  if (code !== undefined) await copyPage({ s3, studio }, code)
}

async function findMove(lambda: LambdaClient, name: string, code: string): Promise<Move> {
  const [number, versions] = await Promise.all([liveVersion(lambda, name), publishedVersions(lambda, name)])
  const live = versions.find((version) => version.number === number)
  const target = versions.find((version) => isSame(version.code, code))
  if (live && target) return { name, live, target }
  const known = [...new Set(versions.map((version) => version.code))].join(", ")
  throw new Error(`There is no published version ${code} of ${name}. There are: ${known || "none"}.`)
}

function isSame(version: string, code: string): boolean {
  const [commit, wanted] = [commitOf(version), commitOf(code)]
  if (commit.includes(".") || wanted.includes(".")) return commit === wanted
  return commit.startsWith(wanted) || wanted.startsWith(commit)
}

function changedSettings(live: PublishedVersion, target: PublishedVersion): string[] {
  const names = new Set([...Object.keys(live.settings), ...Object.keys(target.settings)])
  return [...names].filter((name) => live.settings[name] !== target.settings[name])
}

/** Moves all functions or, if one can't be moved, none. */
async function moveAll(lambda: LambdaClient, moves: Move[]): Promise<void> {
  const done = await Promise.allSettled(moves.map(({ name, target }) => makeLive(lambda, name, target.number)))
  const failed = done.find(({ status }) => status === "rejected")
  if (!failed) return
  await Promise.all(moves.map(({ name, live }) => makeLive(lambda, name, live.number)))
  throw (failed as PromiseRejectedResult).reason
}

/** Throws if there is no copy of the version's page, or if today's headers don't allow the page's scripts. */
async function checkPage({ s3, studio: Bucket }: RollBackDeps, { target }: Move): Promise<void> {
  const read = async (Key: string) => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()
  const [policy, then] = (await Promise.all([PAGE, pageOf(target.code)].map(read))).map(
    (html = "") => pageHeaders(html)["Content-Security-Policy"],
  )
  if (policy !== then) throw new Error("The studio's page had other scripts then, which today's headers don't allow.")
}

async function copyPage({ s3, studio: Bucket }: Pick<RollBackDeps, "s3" | "studio">, code: string): Promise<void> {
  await s3.send(new CopyObjectCommand({ Bucket, Key: PAGE, CopySource: `${Bucket}/${pageOf(code)}` }))
}

async function replacePage({ s3, studio: Bucket }: RollBackDeps, code: string): Promise<void> {
  await copyPage({ s3, studio: Bucket }, code)
  // The page needs its assets for longer than a month. The next deployment marks them again.
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: "assets/" })) {
    const unmark = ({ Key }: { Key?: string }) => s3.send(new DeleteObjectTaggingCommand({ Bucket, Key }))
    for await (const _ of mapConcurrent(Contents, unmark, { atOnce: AT_ONCE }));
  }
}
