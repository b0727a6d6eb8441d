// Removes a stage with all its data and secrets. SST refuses if `sst.config.ts` protects the stage.

import { noteTarget, requireTarget } from "./cloud/deploy-target.ts"
import { endWithMessages, outliveChildren } from "./cloud/errors.ts"
import { GENERATED, MODEL_KEYS, SEARCH_KEYS } from "./cloud/secrets.ts"
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
  console.error(`\n${stage} was not removed completely. See docs/deploy.md for how to take down production.`)
  process.exit(code)
}

// No longer needed, because the data sealed with them is gone.
const ours = [...Object.keys(GENERATED), ...MODEL_KEYS, ...SEARCH_KEYS]
for (const name of sst.secrets().filter((name) => ours.includes(name))) sst.removeSecret(name)
noteTarget(stage, undefined)
