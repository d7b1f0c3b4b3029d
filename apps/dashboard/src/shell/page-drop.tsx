import { Modal } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../parts/lazy-part.js';

const Upload = lazyPart(() => import('../parts/upload.js').then((file) => ({ default: file.Upload })));

/** Handles files dropped outside of an upload area: by default a browser would leave the page for them. */
export function PageDrop() {
  const [isOver, setOver] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // without a related target, the drag left the window
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const isTaken = event.defaultPrevented;
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (dropped.length === 0) return;
      event.preventDefault();
      if (!isTaken) setFiles(dropped);
    };
    const listeners = [
      ['dragover', over],
      ['dragleave', leave],
      ['drop', drop],
    ] as const;
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
    };
  }, []);
  return (
    <>
      {isOver && <div className="page-drop" aria-hidden="true" />}
      <Modal
        opened={files.length > 0}
        onClose={() => setFiles([])}
        title="Add documents"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense>
          <Upload dropped={files} onLeave={() => setFiles([])} />
        </Suspense>
      </Modal>
    </>
  );
}
