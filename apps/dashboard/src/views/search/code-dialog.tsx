import { Button, Code, CopyButton, Modal, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { addressOf } from '../../api/client.js';
import { storedKey } from '../../api/key.js';
import { Icon } from '../../parts/icon.js';
import { CODE_LANGUAGES, codeOf, plainSearchOf } from './search-code.js';
import type { SearchState } from './search-state.js';

interface Props {
  readonly uid: string;
  readonly state: SearchState;
  readonly facets: readonly string[];
}

/** The search as it is set now, to be run by others. */
export function CodeDialog({ uid, state, facets }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const context = { url: addressOf('/').replace(/\/$/, ''), uid, hasKey: storedKey() !== null };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="braces" size={16} />} onClick={open}>
        As code
      </Button>
      <Modal opened={isOpen} onClose={close} title="This search as code" size="xl">
        <Tabs defaultValue={CODE_LANGUAGES[0]!}>
          <Tabs.List>
            {CODE_LANGUAGES.map((language) => (
              <Tabs.Tab key={language} value={language}>
                {language}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {CODE_LANGUAGES.map((language) => {
            const code = codeOf(language, plainSearchOf(state, facets), context);
            return (
              <Tabs.Panel key={language} value={language} pt="sm">
                <Code block tabIndex={0} role="region" aria-label={`In ${language}`}>
                  {code}
                </Code>
                <CopyButton value={code}>
                  {({ copied, copy }) => (
                    <Button
                      mt="sm"
                      variant="light"
                      onClick={copy}
                      leftSection={<Icon name={copied ? 'check' : 'copy'} size={16} />}
                    >
                      {copied ? 'Copied' : 'Copy'}
                    </Button>
                  )}
                </CopyButton>
              </Tabs.Panel>
            );
          })}
        </Tabs>
      </Modal>
    </>
  );
}
