import type { AnswerOf } from '@fossick/api/openapi';
import type { ApiPart } from '@fossick/runtime/extension';
import { z } from 'zod';

const node = z.strictObject({
  id: z.string(),
  url: z.string(),
  position: z.number(),
  heardMs: z.number(),
  /** Whether the end of a task waits for it. */
  isInContact: z.boolean(),
});
/** A node as the leader knows it. */
export type NodeStatus = AnswerOf<typeof node>;
const clusterNode = z.strictObject({
  clusterId: z.string(),
  node: z.string(),
  url: z.string(),
  role: z.enum(['leader', 'follower']),
  epoch: z.number(),
  leader: z.string().nullable(),
  position: z.number(),
  /** Milliseconds since the log answered last. */
  silentMs: z.number(),
  /** Why the node does not follow the log any more. */
  failure: z.string().nullable(),
  /** Those that follow a leader; empty on others. */
  nodes: z.array(node),
});
export type NodeAnswer = AnswerOf<typeof clusterNode>;
const answer = z.union([z.strictObject({ role: z.literal('single') }), clusterNode]);
export type ClusterAnswer = AnswerOf<typeof answer>;
const EXAMPLE = {
  clusterId: '6c2b3f0e-7a55-4b1c-9d0e-1f2a3b4c5d6e',
  node: 'b6f0c7a1-3d5e-4f7a-8b9c-0d1e2f3a4b5c',
  url: 'https://10.0.0.5:7710',
  role: 'leader',
  epoch: 3,
  leader: 'https://10.0.0.5:7710',
  position: 1204,
  silentMs: 12,
  failure: null,
  nodes: [
    {
      id: '0f1e2d3c-4b5a-4968-8776-655443322110',
      url: 'https://10.0.0.6:7710',
      position: 1204,
      heardMs: 80,
      isInContact: true,
    },
  ],
};

/** What is in the OpenAPI document of it. */
export const CLUSTER_PART: ApiPart = {
  tags: {},
  operations: [
    {
      id: 'getCluster',
      method: 'get',
      path: '/_fossick/cluster',
      tag: 'Instance',
      errors: [],
      summary: 'What a node knows of its cluster',
      action: 'stats.get',
      answers: [
        {
          status: 200,
          says: 'Role and position of the node, of a leader also the nodes that follow it; or that the server is single.',
          schema: answer,
          example: EXAMPLE,
        },
      ],
    },
  ],
};
