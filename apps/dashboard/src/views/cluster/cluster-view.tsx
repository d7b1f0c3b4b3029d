import { SimpleGrid, Table, Text } from '@mantine/core';
import { useCluster } from '../../api/queries.js';
import type { ClusterStatus } from '../../api/types.js';
import { Answered } from '../../parts/answered.js';
import { EmptyNote } from '../../parts/empty-note.js';
import { Figure } from '../../parts/figures/figure.js';
import { formatCount } from '../../parts/figures/numbers.js';
import { Panel } from '../../parts/panel.js';
import { TableHead } from '../../parts/table-head.js';
import { ViewHead } from '../../parts/view-head.js';

/** The nodes of the cluster, as far as this one knows them. */
export function ClusterView() {
  return (
    <Answered query={useCluster()}>
      {(status) =>
        status.role === 'single' ? (
          <EmptyNote icon="server" title="This server is not a node of a cluster" />
        ) : (
          <OfCluster status={status} />
        )
      }
    </Answered>
  );
}

function OfCluster({ status }: { readonly status: ClusterStatus }) {
  const { role, epoch, leader, position, silentMs, failure, nodes, url } = status;
  return (
    <>
      <ViewHead title="Cluster" lead={`This node is ${url}`} />
      {failure !== null && (
        <Text role="alert" c="red" mb="md">
          This node does not follow the log of the cluster: {failure}
        </Text>
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
        <Figure name="Role of this node" value={role} />
        <Figure name="Epoch" value={formatCount(epoch)} />
        <Figure name="Position in the log" value={formatCount(position)} />
        <Figure name="Last contact" value={`${formatSeconds(silentMs)} ago`} />
      </SimpleGrid>
      {role === 'leader' ? (
        <Followers nodes={nodes} position={position} />
      ) : (
        <Text>
          {leader === null ? 'No node leads at the moment.' : `The leader is ${leader}; its dashboard shows all nodes.`}
        </Text>
      )}
    </>
  );
}

function Followers({ nodes, position }: { readonly nodes: ClusterStatus['nodes']; readonly position: number }) {
  return (
    <Panel title="Nodes that follow">
      {nodes.length === 0 ? (
        <Text>No other node has called this leader yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={480}>
          <Table>
            <TableHead names={['Node', 'State', 'Entries behind', 'Heard']} />
            <Table.Tbody>
              {nodes.map((node) => (
                <Table.Tr key={node.id}>
                  <Table.Td>{node.url}</Table.Td>
                  <Table.Td>{node.isInContact ? 'in contact' : 'no contact'}</Table.Td>
                  <Table.Td>{formatCount(Math.max(0, position - node.position))}</Table.Td>
                  <Table.Td>{formatSeconds(node.heardMs)} ago</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
