// Removes a stage with all its data and its own secrets. SST refuses for a stage that `sst.config.ts` protects.

import { noteTarget, requireTarget } from "./cloud/deploy-target.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { GENERATED, OPTIONAL } from "./cloud/secrets.ts"
import { createSst } from "./cloud/sst.ts"
import { loadSettings, stageOf } from "./cloud/stage.ts"

endWithMessages()
const stage = stageOf("remove")
loadSettings(stage)
await requireTarget(stage)
const sst = createSst(stage)
outliveChildren()
const code = await sst.show("remove")
if (code !== 0) {
  console.error(`\n${stage} was not removed completely. See docs/deploy.md for taking down production.`)
  process.exit(code)
}

// The data sealed with them is gone, so they are no longer needed.
const ours = [...Object.keys(GENERATED), ...Object.keys(OPTIONAL)]
for (const name of sst.secrets().filter((name) => ours.includes(name))) sst.removeSecret(name)
noteTarget(stage, undefined)
