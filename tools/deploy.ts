// Deploys a stage with the current studio, after checking the requirements. On the first deployment, generates the
// secrets that can be random.

import { parseArgs } from "node:util"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { createS3Client } from "@switchyard/core/storage/s3"
import { noteTarget } from "./cloud/deploy-target.ts"
import { asText, diagnose } from "./cloud/diagnose.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { requireStudio } from "./cloud/find-bucket.ts"
import { requireStage } from "./cloud/find-stage.ts"
import { retireAssets } from "./cloud/retire.ts"
import { makeNewestLive } from "./cloud/roll-back.ts"
import { underSecretLock } from "./cloud/secret-lock.ts"
import { GENERATED } from "./cloud/secrets.ts"
import { createSst } from "./cloud/sst.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"
import { buildStudio, studioAssets } from "./cloud/studio.ts"
import { pruneVersions } from "./cloud/versions.ts"

const OPTIONS = { place: { type: "string" } } as const

endWithMessages()
const stage = stageOf("deploy", undefined, OPTIONS)
const { place: intended } = parseArgs({ options: { ...OPTIONS, stage: { type: "string" } } }).values
loadSettings(stage)
const sst = createSst(stage)
const { findings, secrets, place } = await diagnose(stage, sst, intended)
console.log(`${asText(findings)}\n`)
if (!secrets || findings.some(({ kind }) => kind === "missing")) {
  console.error(`Not ready for ${stage}`)
  process.exit(1)
}

outliveChildren()
// Must come before secrets are generated, because those have to be shown.
if (!buildStudio()) {
  console.error("The studio couldn't be built, so nothing was deployed.")
  process.exit(1)
}

// Must come before the deployment, because a failed one leaves resources behind too.
noteTarget(stage, place)

const made = await makeSecrets()
let code = await sst.show("deploy")
if (code === 0) {
  await makeDeployedLive().catch((error) => {
    code = 1
    console.error("The deployed version isn't live everywhere. Deploy again.", error)
  })
  await retireOldAssets().catch((error) => console.error("The studio's old assets weren't marked:", error))
  await removeOldVersions().catch((error) => console.error("Old versions of functions weren't removed:", error))
}

// The token is valid from now on, even if the deployment failed.
if (made.AdminToken) {
  console.log(
    `\nThe admin token for ${stage}, which is shown only once (npx sst secret list --stage ${stage} also prints it):\n`,
  )
  console.log(`    export SWITCHYARD_TOKEN=${made.AdminToken}\n`)
}
process.exit(code)

/** Generates the secrets that have no value yet, and returns them. */
async function makeSecrets(): Promise<Record<string, string>> {
  const missing = () => {
    const there = sst.secrets()
    return Object.entries(GENERATED).filter(([name]) => !there.includes(name))
  }
  if (missing().length === 0) return {}
  const region = place?.split("/")[1] ?? ""
  return underSecretLock({ client: createS3Client({ region }), region, stage }, async () => {
    // Checks again under the lock, because another deployment may have generated them.
    const made = Object.fromEntries(missing().map(([name, { make }]) => [name, make()]))
    if (Object.keys(made).length > 0) sst.setSecrets(made)
    return made
  })
}

/** Makes the deployed version live, because a rollback may have made an earlier one live. */
async function makeDeployedLive(): Promise<void> {
  const lambda = new LambdaClient()
  const s3 = createS3Client()
  const { functions } = await requireStage(lambda, stage)
  await makeNewestLive({ lambda, s3, functions, studio: await requireStudio(s3, stage) })
}

/** Marks old assets. Any that are missed are marked by the next deployment. */
async function retireOldAssets(): Promise<void> {
  const bucket = sst.outputs().studio
  if (!bucket) return
  const marked = await retireAssets({ client: createS3Client(), bucket }, studioAssets())
  if (marked > 0) console.log(`${marked} assets from earlier versions of the studio are kept for another 30 days.`)
}

/** Removes old versions of the functions. Any that are missed are removed after the next deployment. */
async function removeOldVersions(): Promise<void> {
  const lambda = new LambdaClient()
  const { functions } = await requireStage(lambda, stage)
  await Promise.all(functions.map((name) => pruneVersions(lambda, name)))
}
