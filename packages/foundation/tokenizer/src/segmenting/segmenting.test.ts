import { describe, expect, it } from 'vitest';
import { segmentChinese } from './chinese.js';
import { segmentJapanese, segmentKorean } from './japanese-korean.js';
import { readKhmerWords, readThaiWords, segmentKhmer, segmentThai } from './southeast-asian.js';

function cut(segment: (piece: string) => readonly number[], text: string): string {
  let at = 0;
  return segment(text)
    .map((length) => {
      at += length;
      return text.slice(at - length, at);
    })
    .join('|');
}

describe('Chinese', () => {
  // Expected: jieba-rs without its hidden Markov model, with the second cut of long words.
  it.each([
    ['进击的巨人', '进击|的|巨人'],
    ['我们在北京天安门广场看升国旗', '我们|在|北京|天安|门|广场|看|升国旗'],
    ['中华人民共和国', '中华|人民|共和|国'],
    ['诺贝尔奖', '诺贝|尔|奖'],
    ['2024年3月A级', '2024|年|3|月|A|级'],
    ['孔塔任', '孔|塔|任'],
    ['海贼王是尾田荣一郎创作的日本漫画系列', '海贼|王|是|尾田|荣|一|郎|创作|的|日本|漫画|系列'],
    ['𠮷野家アメ', '𠮷|野|家|ア|メ'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(cut(segmentChinese, text)).toBe(expected);
  });
});

describe('Japanese', () => {
  // Expected: lindera with the same dictionary in the same mode.
  it.each([
    ['関西国際空港', '関西|国際|空港'],
    ['進撃の巨人', '進撃|の|巨人'],
    ['日本の漫画シリーズであり', '日本|の|漫画|シリーズ|で|あり'],
    ['すもももももももものうち', 'すもも|も|もも|も|もも|の|うち'],
    ['アルジャントゥイユ', 'アルジャントゥイユ'],
    ['おおさかし', 'おお|さかし'],
    ['进击的巨人', '进|击|的|巨人'],
    ['𠮷野家で2杯', '𠮷|野家|で|2|杯'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(cut(segmentJapanese, text)).toBe(expected);
  });

  it('is the same in a lattice that has cut longer texts', () => {
    const long = '国立国会図書館は日本の唯一の国立図書館である'.repeat(40);
    const first = cut(segmentJapanese, '東京都に行く');
    expect(segmentJapanese(long).reduce((sum, length) => sum + length, 0)).toBe(long.length);
    expect(cut(segmentJapanese, '東京都に行く')).toBe(first);
  });
});

describe('Korean', () => {
  it.each([
    ['한국어형태소분석기', '한국어|형태소|분석기'],
    ['아버지가방에들어가신다', '아버지|가|방|에|들어가|신다'],
    ['대한민국의', '대한민국|의'],
    ['서울특별시', '서울|특별시'],
    ['김치찌개를', '김치찌개|를'],
    ['먹었습니다', '먹|었|습니다'],
    ['국립중앙박물관', '국립|중앙|박물관'],
    ['삼성전자가', '삼성전자|가'],
    ['ABC한글', 'ABC|한글'],
    ['𠮷野家', '𠮷|野|家'],
    ['뷁', '뷁'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(cut(segmentKorean, text)).toBe(expected);
  });
});

describe('Thai and Khmer', () => {
  it.each([
    ['ตากลม', 'ตากลม'],
    ['ฉันไปโรงเรียน', 'ฉัน|ไป|โรงเรียน'],
    ['กรุงเทพมหานคร', 'กรุงเทพมหานคร'],
    ['ภาษาไทย', 'ภาษาไทย'],
    ['คาซาบลังกา', 'คา|ซา|บ|ลังกา'],
    ['ฅฅ', 'ฅ|ฅ'],
  ])('%s', (text, expected) => {
    expect(cut(segmentThai, text)).toBe(expected);
  });

  it.each([
    ['កម្ពុជាភ្នំពេញ', 'កម្ពុជា|ភ្នំពេញ'],
    ['ប្រទេសកម្ពុជា', 'ប្រទេស|កម្ពុជា'],
    ['រាជធានីភ្នំពេញ', 'រាជធានី|ភ្នំពេញ'],
  ])('%s', (text, expected) => {
    expect(cut(segmentKhmer, text)).toBe(expected);
  });

  it('reads every Thai word, in order', () => {
    const thai = readThaiWords();
    expect(thai).toHaveLength(62_055);
    expect(thai).toEqual([...new Set(thai)].sort());
    expect(thai).toEqual(expect.arrayContaining(['ก ข ไม่กระดิกหู', 'ก.ค.', 'กรุงเทพมหานคร', 'หา…ไม่']));
    expect(thai.every((word) => /^[\u0e01-\u0e5b0-9 ./\u2026-]+$/.test(word))).toBe(true);
  });

  it('reads every word of a dictionary', () => {
    const khmer = readKhmerWords();
    expect(khmer).toHaveLength(81_028);
    expect(new Set(khmer).size).toBe(81_028);
    expect(khmer).toContain('កម្ពុជា');
  });
});
