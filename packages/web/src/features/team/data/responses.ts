const triggerSchemas = () => import("@switchyard/core/work/teams/triggers/trigger-requests")
const schemas = () => import("@switchyard/core/work/teams/request-schema")

/** Response schemas for teams, loaded when a team is first shown. */
export const board = async () => (await schemas()).Board
export const nodeInFull = async () => (await schemas()).BoardNodeInFull
export const messages = async () => (await schemas()).TeamMessages
export const oneTrigger = async () => (await import("@switchyard/core/work/teams/trigger-schema")).TeamTrigger
export const newTrigger = async () => (await triggerSchemas()).CreatedTeamTrigger
