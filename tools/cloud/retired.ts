/**
 * Tag of an asset that isn't used by any page of the current deployment. A bucket rule in `infra/web.ts` deletes it a
 * month later.
 */
export const RETIRED = { key: "retired", value: "yes" }
